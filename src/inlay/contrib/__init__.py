"""`tf.contrib`: the parts that programs around the family use."""
