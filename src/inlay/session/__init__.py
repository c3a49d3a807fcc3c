"""Sessions: options, feeds, fetches, runs."""

from inlay.session.feeds import feed_converter as feed_converter
from inlay.session.fetches import parse_fetches as parse_fetches
from inlay.session.options import ConfigProto as ConfigProto
from inlay.session.options import GPUOptions as GPUOptions
from inlay.session.options import GraphOptions as GraphOptions
from inlay.session.options import OptimizerOptions as OptimizerOptions
from inlay.session.options import RunMetadata as RunMetadata
from inlay.session.options import RunOptions as RunOptions
from inlay.session.session import InteractiveSession as InteractiveSession
from inlay.session.session import Session as Session
