"""`tf.image`: resizing, cropping, colors, flips and boxes."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "image",
    {
        "ops.image":
        "flip_left_right flip_up_down psnr random_flip_left_right random_flip_up_down rot90 "
        "stateless_random_flip_left_right stateless_random_flip_up_down total_variation transpose",
        "ops.image_boxes": "crop_and_resize",
        "ops.image_colors":
        "adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_saturation convert_image_dtype "
        "grayscale_to_rgb per_image_standardization random_brightness random_contrast random_hue "
        "random_saturation rgb_to_grayscale stateless_random_brightness stateless_random_contrast "
        "stateless_random_hue stateless_random_saturation",
        "ops.image_cropping":
        "central_crop crop_to_bounding_box pad_to_bounding_box resize_image_with_crop_or_pad "
        "resize_with_crop_or_pad resize_with_pad stateless_random_crop",
        "ops.image_files":
        "decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg decode_png encode_jpeg "
        "encode_png extract_jpeg_shape is_jpeg",
        "ops.image_hues": "hsv_to_rgb rgb_to_hsv",
        "ops.image_jpeg": "adjust_jpeg_quality random_jpeg_quality stateless_random_jpeg_quality",
        "ops.image_marking": "draw_bounding_boxes extract_glimpse",
        "ops.image_quality":
        "image_gradients rgb_to_yiq rgb_to_yuv sobel_edges ssim ssim_multiscale yiq_to_rgb yuv_to_rgb",
        "ops.image_resizing": "ResizeMethod resize_area resize_bicubic resize_bilinear resize_nearest_neighbor",
        "ops.image_sampling": "sample_distorted_bounding_box stateless_sample_distorted_bounding_box",
        "ops.image_suppression":
        "combined_non_max_suppression non_max_suppression non_max_suppression_overlaps "
        "non_max_suppression_padded non_max_suppression_with_scores",
        "ops.image_webp": "decode_webp",
        "ops.patches": "extract_patches",
        "ops.random": "random_crop",
        "programs.control.ragged_images": "resize resize_images",
    },
    absent={
        "decode_jxl": "decode in a tf.numpy_function with the package pillow-jxl-plugin or imagecodecs",
        "generate_bounding_box_proposals": "tf.image.non_max_suppression on boxes that a model has decoded",
    },
)
