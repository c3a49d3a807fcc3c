"""TensorFlow 2: a tokeniser in Python, ragged tokens, a vocabulary table, and a classifier of sentences that trains."""

import argparse
import re

import numpy as np
import tensorflow as tf

GOOD = ["good", "fine", "lovely", "bright"]
BAD = ["bad", "awful", "dull", "grim"]
OTHER = ["the", "film", "was", "really", "a", "story", "and", "ending", "it", "felt"]


def make_sentences(count, random):
    sentences, labels = [], []
    for k in range(count):
        words = list(random.choice(OTHER, random.randint(3, 8)))
        words.insert(random.randint(len(words)), random.choice(GOOD if k % 2 else BAD))
        text = " ".join(words).capitalize()
        sentences.append(text + ("!" if random.uniform() < 0.5 else ", really."))
        labels.append(k % 2)
    return np.array(sentences), np.array(labels, np.int32)


def tokenize(text):
    """Words and marks of a sentence, in lower case."""
    return np.array(re.findall(r"\w+|[^\w\s]", text.numpy().decode().lower()), object)


class Classifier(tf.Module):
    """The mean of the embeddings of a sentence's tokens, and a linear layer."""

    def __init__(self, vocabulary, buckets, random):
        super().__init__()
        keys = tf.constant(vocabulary)
        initializer = tf.lookup.KeyValueTensorInitializer(keys, tf.range(len(vocabulary), dtype=tf.int64))
        self.table = tf.lookup.StaticVocabularyTable(initializer, num_oov_buckets=buckets)
        size = len(vocabulary) + buckets
        self.embeddings = tf.Variable(random.normal(0, 0.1, (size, 8)).astype(np.float32), name="embeddings")
        self.kernel = tf.Variable(random.normal(0, 0.3, (8, 2)).astype(np.float32), name="kernel")

    def __call__(self, tokens):
        ids = tf.ragged.map_flat_values(self.table.lookup, tokens)
        vectors = tf.ragged.map_flat_values(lambda i: tf.gather(self.embeddings, i), ids)
        return tf.linalg.matmul(tf.reduce_mean(vectors, axis=1), self.kernel)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sentences", type=int, default=96)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--rate", type=float, default=3.0)
    args = parser.parse_args()
    random = np.random.RandomState(2)
    sentences, labels = make_sentences(args.sentences, random)

    def split(text, label):
        tokens = tf.py_function(tokenize, [text], tf.string)
        tokens.set_shape([None])
        return tokens, label

    dataset = tf.data.Dataset.from_tensor_slices((sentences, labels)).map(split)
    words = sorted({token for tokens, _ in dataset for token in tokens.numpy()})
    print(len(words), "words:", [w.decode() for w in words[:6]])
    batches = dataset.apply(tf.data.experimental.dense_to_ragged_batch(16))
    first, _ = next(iter(batches))
    print(type(first).__name__, first.shape, "rows of", first.row_lengths().numpy().tolist())
    print("joined:", tf.strings.reduce_join(first[0], separator=" ").numpy().decode())

    model = Classifier(words, 2, random)

    @tf.function
    def step(tokens, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, model(tokens)))
        for variable, gradient in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
            variable.assign_sub(args.rate * tf.convert_to_tensor(gradient))
        return loss

    for epoch in range(args.epochs):
        losses = [float(step(tokens, y)) for tokens, y in batches]
        if epoch % 5 == 0:
            print(f"epoch {epoch}: loss {np.mean(losses):.4f}")
    right = sum(int(tf.reduce_sum(tf.cast(tf.argmax(model(t), 1, tf.int32) == y, tf.int32))) for t, y in batches)
    print(f"{right} of {len(labels)} right")
    unseen = tf.strings.split(tf.constant(["a lovely fine evening", "it was grim"]))
    print("unseen:", tf.argmax(model(unseen), 1).numpy().tolist())


if __name__ == "__main__":
    main()
