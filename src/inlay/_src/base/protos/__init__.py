"""Messages of TensorFlow's wire formats, as classes that the protobuf package makes of their fields."""
