"""Programs written for TensorFlow, as they are: their imports answered by our names, and what of them is here told."""
