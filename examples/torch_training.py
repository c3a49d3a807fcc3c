"""Trains a PyTorch model to foretell a series, on windows that a dataset cuts.

    pip install 'inlay[torch]'
    python examples/torch_training.py [--out FOLDER]

`window` and `flat_map` cut a series into inputs and what comes next, a Python function scales them, and PyTorch's
`DataLoader` reads batches from `as_torch_dataset`. The exit status is 0 only if the model foretells the rest of the
series better than its last value does.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from checking import check, needs, status
from saving import arguments, save

import inlay as tf

with needs("inlay[torch]"):
    import torch

LENGTH, WIDTH, BATCH, EPOCHS, HELD_OUT = 1_200, 24, 32, 6, 200


def measured() -> Any:
    """A daily and a weekly rhythm, a trend, and noise: one number an hour."""
    hours = np.arange(LENGTH)
    noise = np.random.default_rng(2).normal(0, 0.1, LENGTH)
    series = np.sin(hours * 2 * np.pi / 24) + 0.5 * np.sin(hours * 2 * np.pi / 168) + hours / 2000 + noise
    return series.astype(np.float32)


def scaled(window: Any) -> tuple[Any, Any, Any]:
    """The inputs and what comes next, less the last value; and that."""
    last = window[-2]
    return window[:-1] - last, window[-1:] - last, last


def windows(series: Any) -> Any:
    """Inputs of so many hours, the hour after them, and the last one of the inputs."""

    def parts(window: Any) -> Any:
        return tf.numpy_function(scaled, [window], [tf.float32] * 3, output_shapes=[[WIDTH], [1], []], stateful=False)

    hours = tf.data.Dataset.from_tensor_slices(series).window(WIDTH + 1, shift=1, drop_remainder=True)
    return hours.flat_map(lambda hour: hour.batch(WIDTH + 1, drop_remainder=True)).map(parts)


def main() -> int:
    options = arguments(__doc__)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    series = measured()
    train = windows(series[:-HELD_OUT]).cache().shuffle(LENGTH, seed=4).batch(BATCH).prefetch(2)
    loader = torch.utils.data.DataLoader(train.as_torch_dataset(), batch_size=None)  # the batches are made here
    model = torch.nn.Sequential(torch.nn.Linear(WIDTH, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    for epoch in range(EPOCHS):
        losses, seen = [], 0
        for inputs, following, _ in loader:
            loss = torch.nn.functional.mse_loss(model(inputs), following)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            seen += len(inputs)
        print(f"  epoch {epoch}: loss {np.mean(losses):.4f}")
    check("every epoch has every window", seen == LENGTH - HELD_OUT - WIDTH)

    # The DataLoader may make the batches as well, of single elements.
    test = torch.utils.data.DataLoader(windows(series[-HELD_OUT:]).as_torch_dataset(), batch_size=50)
    with torch.no_grad():
        found = [(model(inputs), following, last) for inputs, following, last in test]
    foretold, following, last = (torch.cat(parts) for parts in zip(*found, strict=True))
    hours = (following[:, 0] + last).numpy()
    check("the windows of the rest are whole and in order", np.allclose(hours, series[-HELD_OUT + WIDTH :], atol=1e-6))
    error, naive = (foretold - following).square().mean().sqrt().item(), following.square().mean().sqrt().item()
    check(f"off by {error:.3f}; the hour before is off by {naive:.3f}", error < 0.8 * naive)
    there, told = following[:, 0].tolist(), foretold[:, 0].tolist()
    columns = {"hour": range(len(there)), "change": there, "foretold": told}
    save(
        options.out,
        "torch_training",
        columns,
        lambda figure: figure.subplots().plot(list(zip(there, told, strict=True))),
    )
    return status()


if __name__ == "__main__":
    sys.exit(main())
