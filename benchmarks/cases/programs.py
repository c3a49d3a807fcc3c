"""Whole programs with Python in them: a classifier of images, one of texts, and an actor that learns to balance a pole.

`tf` is TensorFlow or inlay. A program trains with fixed seeds and returns its losses, which must agree in both: random
numbers come from NumPy, and initial weights are drawn there too.
"""

from __future__ import annotations

import re
import resource
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.cases import keras_programs

# ---------------------------------------------------------------- images

CLASSES, SIDE = 10, 32


def image_classifier(tf: Any, scale: float) -> list[float]:
    """A small convolutional network over images that a NumPy function shifts, flips and brightens; Adam."""
    rand = np.random.default_rng(1)
    count = max(64, int(4096 * scale))
    labels = rand.integers(0, CLASSES, count).astype(np.int32)
    templates = rand.integers(0, 128, (CLASSES, SIDE, SIDE, 3))
    images = (templates[labels] + rand.integers(0, 128, (count, SIDE, SIDE, 3))).astype(np.uint8)

    def augmented(image: Any, number: Any) -> Any:
        draw = np.random.default_rng(int(number))
        image = image[:, ::-1] if draw.random() < 0.5 else image
        image = np.roll(image, draw.integers(-2, 3, 2), (0, 1))
        return (image * np.float32(draw.uniform(0.8, 1.2) / 255)).astype(np.float32)

    def prepared(image: Any, label: Any, number: Any) -> Any:
        image = tf.numpy_function(augmented, [image, number], tf.float32)
        image.set_shape([SIDE, SIDE, 3])
        return image, label

    filters = [
        tf.Variable((rand.standard_normal(shape) * np.sqrt(2 / np.prod(shape[:-1]))).astype(np.float32))
        for shape in ((3, 3, 3, 16), (3, 3, 16, 32), (SIDE // 4 * SIDE // 4 * 32, CLASSES))
    ]
    bias = tf.Variable(tf.zeros([CLASSES]))
    weights = [*filters, bias]
    optimizer = tf.compat.v1.train.AdamOptimizer(1e-3)

    @tf.function
    def step(batch: Any, truth: Any) -> Any:
        with tf.GradientTape() as tape:
            hidden = batch
            for kernel in filters[:2]:
                hidden = tf.nn.relu(tf.nn.conv2d(hidden, kernel, 1, "SAME"))
                hidden = tf.nn.max_pool2d(hidden, 2, 2, "VALID")
            logits = tf.matmul(tf.reshape(hidden, [tf.shape(batch)[0], -1]), filters[2]) + bias
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=truth, logits=logits))
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    dataset = tf.data.Dataset.from_tensor_slices((images, labels, np.arange(count)))
    dataset = dataset.map(prepared, num_parallel_calls=tf.data.AUTOTUNE).batch(64).prefetch(tf.data.AUTOTUNE)
    return [float(step(*batch)) for batch in dataset]


# ---------------------------------------------------------------- texts

_WORD = re.compile(r"[a-z]+|[0-9]+")
VOCABULARY = 2000


def text_classifier(tf: Any, scale: float) -> list[float]:
    """A bag of embedded words over texts that a Python function splits into numbers of words; Adam, two epochs."""
    rand = np.random.default_rng(2)
    words = [f"{a}{b}{c}" for a in "bdfgklmnpr" for b in "aeiou" for c in "bdfgklmnprstvwxyz"]
    vocabulary = {word: number + 2 for number, word in enumerate(words[:VOCABULARY])}
    count = max(64, int(8192 * scale))
    truth = rand.integers(0, 2, count)
    half = len(words) // 2
    texts = []
    for label in truth:
        numbers = rand.integers(0, half, rand.integers(5, 60)) + half * (rand.random() < 0.2 + 0.6 * label)
        texts.append(" ".join(words[number].capitalize() for number in numbers) + ". 42!")

    def encoded(text: Any) -> Any:
        words = _WORD.findall(text.numpy().decode().lower())
        return np.array([vocabulary.get(word, 1) for word in words], np.int64)

    def prepared(text: Any, label: Any) -> Any:
        numbers = tf.py_function(encoded, [text], tf.int64)
        numbers.set_shape([None])
        return numbers, label

    table = tf.Variable((rand.standard_normal((VOCABULARY, 32)) * 0.05).astype(np.float32))
    layer = tf.Variable((rand.standard_normal((32, 1)) * 0.1).astype(np.float32))
    bias = tf.Variable(tf.zeros([1]))
    weights = [table, layer, bias]
    optimizer = tf.compat.v1.train.AdamOptimizer(5e-3)

    @tf.function(reduce_retracing=True)
    def step(numbers: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            present = tf.cast(tf.not_equal(numbers, 0), tf.float32)[:, :, tf.newaxis]
            embedded = tf.reduce_sum(tf.nn.embedding_lookup(table, numbers) * present, 1)
            logits = tf.matmul(embedded / tf.reduce_sum(present, 1), layer) + bias
            losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels[:, tf.newaxis], logits=logits)
            loss = tf.reduce_mean(losses)
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    dataset = tf.data.Dataset.from_tensor_slices((texts, truth.astype(np.float32)))
    dataset = dataset.map(prepared, num_parallel_calls=tf.data.AUTOTUNE).padded_batch(32).prefetch(tf.data.AUTOTUNE)
    return [float(step(*batch)) for _ in range(2) for batch in dataset]


# ---------------------------------------------------------------- reinforcement


class Pole:
    """A pole on a cart, after Barto, Sutton and Anderson: a push of 10 N to one side, steps of 20 ms."""

    def reset(self, seed: int) -> Any:
        """The first state of an episode: position, speed, angle, angular speed."""
        self.state = np.random.default_rng(seed).uniform(-0.05, 0.05, 4)
        return self.state.astype(np.float32)

    def step(self, action: Any) -> Any:
        """The next state, the reward, and whether the episode has ended."""
        x, speed, angle, turning = self.state
        force, cosine, sine = 10.0 if action else -10.0, np.cos(angle), np.sin(angle)
        push = (force + 0.05 * turning**2 * sine) / 1.1
        angular = (9.8 * sine - cosine * push) / (0.5 * (4 / 3 - 0.1 * cosine**2 / 1.1))
        linear = push - 0.05 * angular * cosine / 1.1
        self.state = np.array(
            [x + 0.02 * speed, speed + 0.02 * linear, angle + 0.02 * turning, turning + 0.02 * angular]
        )
        ended = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.2095
        return self.state.astype(np.float32), np.float32(1), np.int32(ended)


MOST_STEPS = 200


def actor_critic(tf: Any, scale: float) -> list[float]:
    """An actor and a critic of one hidden layer; an episode is a loop of a `tf.function` around a NumPy function."""
    rand = np.random.default_rng(3)
    pole = Pole()
    weights = [
        tf.Variable((rand.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32))
        for shape in ((4, 64), (64, 1), (64, 1))
    ]
    hidden, actor, critic = weights
    optimizer = tf.compat.v1.train.AdamOptimizer(1e-2)

    @tf.function
    def step(state: Any, chances: Any) -> Any:
        with tf.GradientTape() as tape:
            likelihoods = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[])
            values = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[])
            rewards = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[])
            for t in tf.range(MOST_STEPS):
                features = tf.nn.relu(tf.matmul(state[tf.newaxis], hidden))
                right = tf.sigmoid(tf.matmul(features, actor))[0, 0]
                action = chances[t] < right
                likelihoods = likelihoods.write(t, tf.where(action, right, 1 - right))
                values = values.write(t, tf.matmul(features, critic)[0, 0])
                state, reward, ended = tf.numpy_function(pole.step, [action], [tf.float32, tf.float32, tf.int32])
                state.set_shape([4])
                reward.set_shape([])
                ended.set_shape([])
                rewards = rewards.write(t, reward)
                if tf.cast(ended, tf.bool):
                    break
            returns = tf.scan(lambda later, reward: reward + 0.99 * later, rewards.stack()[::-1])[::-1]
            returns = (returns - tf.reduce_mean(returns)) / (tf.math.reduce_std(returns) + 1e-6)
            advantage = returns - values.stack()
            policy = -tf.reduce_sum(tf.math.log(likelihoods.stack()) * tf.stop_gradient(advantage))
            loss = policy + tf.reduce_sum(tf.where(tf.abs(advantage) < 1, advantage**2 / 2, tf.abs(advantage) - 0.5))
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    losses = []
    for episode in range(max(3, int(100 * scale))):
        chances = tf.constant(np.random.default_rng([4, episode]).random(MOST_STEPS, np.float32))
        losses.append(float(step(tf.constant(pole.reset(episode)), chances)))
    return losses


# ---------------------------------------------------------------- what they take


class Program(NamedTuple):
    """A program.

    Attributes:
      title: for readers.
      run: trains; from the library and a factor of the work, the losses, or those of epochs with their seconds.
      compared: the number of first losses that must agree: small differences grow in the later ones.
      ratio: TensorFlow's time over ours must reach this.
      memory: TensorFlow's memory over ours must reach this.
    """

    title: str
    run: Callable[[Any, float], list[float] | keras_programs.Epochs]
    compared: int
    ratio: float
    memory: float = 1.0


LESS_MEMORY = 1 / 0.7


PROGRAMS = {
    "image_classifier": Program("images: a NumPy augmentation, a convolutional network", image_classifier, 64, 1.0),
    "text_classifier": Program("texts: a Python tokenizer, embedded words", text_classifier, 512, 4.0),
    "actor_critic": Program("actor-critic: an environment in NumPy", actor_critic, 20, 8.0),
    "keras_perceptron": Program("tf.keras, an epoch: perceptron", keras_programs.perceptron, 5, 3.0, LESS_MEMORY),
    "keras_python": Program(
        "tf.keras, an epoch: perceptron, Python in the dataset", keras_programs.perceptron_with_python, 5, 2.0,
        LESS_MEMORY,
    ),
    "keras_recurrent": Program("tf.keras, an epoch: LSTM", keras_programs.recurrent, 5, 2.0, LESS_MEMORY),
    "keras_convolutional": Program(
        "tf.keras, an epoch: convolutions", keras_programs.convolutional, 5, 0.8, LESS_MEMORY
    ),
}  # fmt: skip


def program(tf: Any, name: str, scale: float) -> dict[str, Any]:
    """Runs a program once.

    Returns:
      Seconds, seconds of the processor, the process's greatest memory in MB, and the losses.
    """
    start, worked = time.perf_counter(), time.process_time()
    losses = PROGRAMS[name].run(tf, scale)
    seconds, processor = time.perf_counter() - start, time.process_time() - worked
    if isinstance(losses, keras_programs.Epochs):
        losses, seconds = losses
    unit = 1e6 if sys.platform == "darwin" else 1e3
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    return {"seconds": seconds, "processor": processor, "peak_mb": peak, "losses": losses}
