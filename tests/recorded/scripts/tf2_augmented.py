"""TensorFlow 2: images changed by a function in NumPy, a training step that is traced, and tapes."""

import argparse

import numpy as np
import tensorflow as tf


def make_images(count, random):
    """Crosses and frames, 8 by 8."""
    images = random.uniform(0, 0.4, (count, 8, 8)).astype(np.float32)
    labels = np.arange(count) % 2
    for image, label in zip(images, labels):
        if label:
            image[[1, -2], 1:-1] += 0.6
            image[1:-1, [1, -2]] += 0.6
        else:
            image[3:5, :] += 0.6
            image[:, 3:5] += 0.6
    return images, labels.astype(np.int32)


class Shift:
    """Moves images by a few pixels, with NumPy's random numbers."""

    def __init__(self, seed):
        self._random = np.random.RandomState(seed)
        self.calls = 0

    def __call__(self, image):
        self.calls += 1
        down, right = self._random.randint(-1, 2, 2)
        return np.roll(image, (down, right), (0, 1))


class Model(tf.Module):
    """A convolution, a mean over places, and a linear layer."""

    def __init__(self, random):
        super().__init__(name="model")
        with self.name_scope:
            self.kernel = tf.Variable(random.normal(0, 0.4, (3, 3, 1, 8)).astype(np.float32), name="kernel")
            self.shift = tf.Variable(tf.zeros([8]), name="shift")
            self.weights = tf.Variable(random.normal(0, 0.4, (8, 2)).astype(np.float32), name="weights")

    @tf.Module.with_name_scope
    def __call__(self, images):
        found = tf.nn.relu(tf.nn.conv2d(images[..., tf.newaxis], self.kernel, 1, "SAME") + self.shift)
        return tf.linalg.matmul(tf.reduce_mean(found, axis=[1, 2]), self.weights)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=45)
    parser.add_argument("--rate", type=float, default=0.6)
    args = parser.parse_args()
    random = np.random.RandomState(1)
    images, labels = make_images(32, random)
    shift = Shift(2)

    def augment(image, label):
        moved = tf.numpy_function(shift, [image], tf.float32)
        moved.set_shape(image.shape)
        return moved, label

    dataset = tf.data.Dataset.from_tensor_slices((images, labels)).map(augment).batch(8)
    print(dataset.element_spec)
    model = Model(random)
    traced = []

    @tf.function(input_signature=[tf.TensorSpec([None, 8, 8], tf.float32), tf.TensorSpec([None], tf.int32)])
    def train_step(x, y):
        traced.append(1)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, model(x)))
        for variable, gradient in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
            variable.assign_sub(args.rate * gradient)
        return loss

    for epoch in range(args.epochs):
        losses = [float(train_step(x, y)) for x, y in dataset]
        if epoch % 8 == 0:
            print(f"epoch {epoch}: loss {np.mean(losses):.4f}")
    right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(model(images), 1, tf.int32), labels), tf.float32))
    print(f"accuracy {right.numpy():.3f} after {shift.calls} calls, traced {len(traced)} time(s)")
    print([v.name for v in model.trainable_variables])


if __name__ == "__main__":
    main()
