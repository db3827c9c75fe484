"""The network of the `ppo` agent: a policy and a value from what one player sees, in NumPy alone.

Inputs, float32[inputs]: the game's flat observation (`game.layout`), then, if the network is
described, the game's description of all seats (`tabletop.description`): each number less `mean`,
over `scale`, clipped to +-CLIP; then, if it is hinted, for each action the logarithm of the game's
prior, and then for each action what it makes its player expect (`agents.hints`).

    trunk    x -> relu(x W' + b), for each layer of `hidden`
    policy   logits = t W' + b + sharpness[0] * prior + sharpness[1] * expected over the game's actions; illegal ones are left out
             by whoever asks. So a hinted network corrects the prior rather than beginning with nothing.
    value    tanh(v(x) + atanh(expected)) with layers v of its own: the returns by placement that all seats
             can expect, in relative order from the player who looks and moves, [MAX_PLAYERS] in
             [-1, 1]; `expected` are those of the description, at most +-SUREST, 0 without one. It is
             learned before the policy, from games of others, and says what a move makes expect.

Stored as NAME.safetensors, the tensors named as in `Network`, and NAME.json, what they were trained
for. Nothing here needs torch or unpickles.
"""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tabletop import description
from tabletop.game import MAX_PLAYERS, Game, GameError

Floats = npt.NDArray[np.float32]
FORMAT = 3
CLIP = 5.0
SUREST = 0.99  # expected return beyond which the value has nothing to correct
NUM_HINTS = 2  # of each action
TYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}


@dataclass(frozen=True)
class Network:
    """Weights and how to use them. A layer is (weight float32[out, in], bias float32[out])."""

    trunk: tuple[tuple[Floats, Floats], ...]
    policy: tuple[Floats, Floats]
    value: tuple[tuple[Floats, Floats], ...]  # layers of its own, or none
    mean: Floats  # float32[description], empty if not described
    scale: Floats
    estimates: npt.NDArray[np.float64]  # what descriptions go by, see `tabletop.description.tuned`
    valuations: npt.NDArray[np.float64]  # what hints go by, see `agents.hints`; empty if not hinted
    sharpness: Floats  # float32[NUM_HINTS], how much each hint counts
    settle: int  # moves of greedy play in what hints expect, see `agents.hint_kernels.look_ahead`
    worlds: int  # in how many worlds they look at each move

    @property
    def described(self) -> bool:
        """Whether the inputs end with the game's description of all seats."""
        return len(self.mean) > 0

    @property
    def hinted(self) -> bool:
        """Whether the inputs end with hints."""
        return self.valuations.size > 0

    @property
    def num_inputs(self) -> int:
        """How many numbers the network looks at."""
        first, _ = (*self.trunk, self.policy)[0]
        return int(first.shape[1]) + self.hints

    @property
    def hints(self) -> int:
        """How many of them, the last ones, are hints."""
        return NUM_HINTS * self.num_actions if self.hinted else 0

    @property
    def num_actions(self) -> int:
        """How many actions the policy is over."""
        return len(self.policy[1])

    def known(self, inputs: Floats) -> Floats:
        """Return what the layers are given of float32[decisions, num_inputs]: hints left out, numbers scaled."""
        if self.hinted:
            inputs = inputs[:, : -self.hints]
        if self.described:
            told = len(self.mean)
            numbers = np.clip((inputs[:, -told:] - self.mean) / self.scale, -CLIP, CLIP)
            inputs = np.concatenate([inputs[:, :-told], numbers], axis=1)
        return inputs

    def logits(self, inputs: Floats) -> Floats:
        """Return the policy's logits, float32[decisions, num_actions]."""
        latent = self.known(inputs)
        for weight, bias in self.trunk:
            latent = np.maximum(latent @ weight.T + bias, np.float32(0))
        logits: Floats = latent @ self.policy[0].T + self.policy[1]
        if self.hinted:
            hints = inputs[:, -self.hints :].reshape(-1, NUM_HINTS, self.num_actions)
            for number, weight in enumerate(self.sharpness):
                logits += weight * hints[:, number]
        return logits

    def values(self, inputs: Floats) -> Floats:
        """Return the returns to expect, float32[decisions, MAX_PLAYERS].

        Raises:
            ValueError: the network has no value.
        """
        if not self.value:
            raise ValueError("this network has no value")
        hidden = self.known(inputs)
        for weight, bias in self.value[:-1]:
            hidden = np.maximum(hidden @ weight.T + bias, np.float32(0))
        weight, bias = self.value[-1]
        corrections = hidden @ weight.T + bias
        values: Floats = np.tanh(corrections + np.arctanh(np.clip(self.expected(inputs), -SUREST, SUREST)))
        return values

    def expected(self, inputs: Floats) -> Floats:
        """Return the returns that the description expects, float32[decisions, MAX_PLAYERS]; 0 without one."""
        if not self.described:
            return np.zeros((len(inputs), MAX_PLAYERS), np.float32)
        numbers = inputs[:, : inputs.shape[1] - self.hints][:, -len(self.mean) :]
        return numbers.reshape(len(inputs), MAX_PLAYERS, -1)[:, :, -1]

    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        """Return all weights by name."""
        named: dict[str, npt.NDArray[Any]] = {
            "description.mean": self.mean,
            "description.scale": self.scale,
            "description.estimates": self.estimates,
            "hint.valuations": self.valuations,
            "hint.sharpness": self.sharpness,
            "hint.ahead": np.array([self.settle, self.worlds], np.float32),
        }
        layers = {f"trunk.{number}": layer for number, layer in enumerate(self.trunk)}
        layers |= {"policy": self.policy}
        layers |= {f"value.{number}": layer for number, layer in enumerate(self.value)}
        for name, (weight, bias) in layers.items():
            named |= {f"{name}.weight": weight, f"{name}.bias": bias}
        return named


def blank(
    game: Game,
    estimates: npt.NDArray[np.float64],
    valuations: npt.NDArray[np.float64],
    settle: int,
    worlds: int,
) -> Network:
    """Return a network that has learned nothing: no trunk, no value, no scales, and a policy without preferences."""
    told = len(description.names(game)) * MAX_PLAYERS if estimates.size else 0
    return Network(
        trunk=(),
        policy=(
            np.zeros((game.num_actions, game.layout.size + told), np.float32),
            np.zeros(game.num_actions, np.float32),
        ),
        value=(),
        mean=np.zeros(told, np.float32),
        scale=np.ones(told, np.float32),
        estimates=estimates,
        valuations=valuations,
        sharpness=np.zeros(NUM_HINTS, np.float32),
        settle=settle,
        worlds=worlds,
    )


def from_tensors(tensors: Mapping[str, Floats]) -> Network:
    """Return the network of weights by name; KeyError if one is missing."""

    def stack(name: str) -> tuple[tuple[Floats, Floats], ...]:
        count = sum(key.startswith(f"{name}.") for key in tensors) // 2
        return tuple(
            (tensors[f"{name}.{number}.weight"], tensors[f"{name}.{number}.bias"]) for number in range(count)
        )

    return Network(
        trunk=stack("trunk"),
        policy=(tensors["policy.weight"], tensors["policy.bias"]),
        value=stack("value"),
        mean=tensors["description.mean"],
        scale=tensors["description.scale"],
        estimates=tensors["description.estimates"].astype(np.float64),
        valuations=tensors["hint.valuations"].astype(np.float64),
        sharpness=tensors["hint.sharpness"],
        settle=int(tensors["hint.ahead"][0]),
        worlds=int(tensors["hint.ahead"][1]),
    )


def probabilities(
    logits: Floats, masks: npt.NDArray[Any], temperature: float = 1.0
) -> npt.NDArray[np.float64]:
    """Return how likely each action is, float64[decisions, num_actions]; 0 where the mask is."""
    scores = np.where(masks != 0, logits.astype(np.float64) / temperature, -np.inf)
    scores -= scores.max(axis=1, keepdims=True)
    weights = np.exp(scores)
    shares: npt.NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return shares


def save(network: Network, game: Game, stem: Path, facts: Mapping[str, object]) -> None:
    """Write STEM.safetensors and STEM.json, each in one stroke; `facts` say how it was trained."""
    facts = {
        "format": FORMAT,
        "game": game.name,
        "observation": game.layout.size,
        "description": list(description.names(game)) if network.described else [],
        "actions": game.num_actions,
        "hidden": [len(bias) for _, bias in network.trunk],
        **facts,
    }
    write_safetensors(stem.with_suffix(".safetensors"), network.tensors())
    write_in_one_stroke(stem.with_suffix(".json"), (json.dumps(facts, indent=2) + "\n").encode())


def load(game: Game, stem: Path) -> Network:
    """Return the network of STEM.safetensors and STEM.json.

    Raises:
        GameError: they cannot be read, or are of another game or another version of it.
    """
    try:
        facts = json.loads(stem.with_suffix(".json").read_text())
        tensors = read_safetensors(stem.with_suffix(".safetensors"))
        if facts["format"] != FORMAT:
            raise GameError(f"{stem}.json is of format {facts['format']}; this version reads {FORMAT}")
        told = description.names(game) if facts["description"] else ()
        expected = {
            "game": game.name,
            "observation": game.layout.size,
            "description": list(told),
            "actions": game.num_actions,
        }
        network = from_tensors(tensors)
    except OSError as error:
        raise GameError(f"no network at {stem}: {error.filename}: {error.strerror}") from None
    except (KeyError, ValueError, TypeError) as error:
        raise GameError(f"{stem} holds no network: {error!r}") from None
    for name, value in expected.items():
        if facts[name] != value:
            raise GameError(
                f"{stem} is a network for {name} {facts[name]}, but {game.name} has {value}: train it anew"
            )
    size = game.layout.size + len(told) * MAX_PLAYERS + network.hints
    if network.num_inputs != size or network.num_actions != game.num_actions:
        raise GameError(f"{stem}.safetensors does not fit {stem}.json")
    return network


def write_safetensors(path: Path, tensors: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write tensors in the safetensors format, as float32."""
    header: dict[str, Any] = {}
    blobs: list[bytes] = []
    position = 0
    for name, tensor in tensors.items():
        blobs.append(np.ascontiguousarray(tensor, dtype="<f4").tobytes())
        end = position + len(blobs[-1])
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [position, end]}
        position = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    write_in_one_stroke(path, struct.pack("<Q", len(text)) + text + b"".join(blobs))


def read_safetensors(path: Path) -> dict[str, Floats]:
    """Return the tensors of a safetensors file as float32; ValueError if it is none."""
    content = path.read_bytes()
    if len(content) < 8 or (size := struct.unpack("<Q", content[:8])[0]) > len(content) - 8:
        raise ValueError(f"{path} is no safetensors file")
    header = json.loads(content[8 : 8 + size])
    if not isinstance(header, dict):
        raise ValueError(f"{path} is no safetensors file")
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            first, last = (8 + size + offset for offset in entry["data_offsets"])
            flat: npt.NDArray[Any] = np.frombuffer(content[first:last], TYPES[entry["dtype"]])
            tensors[name] = flat.reshape(entry["shape"]).astype(np.float32)
    return tensors


def write_in_one_stroke(path: Path, content: bytes) -> None:
    """Write a file so that whoever reads it, whenever, finds the old one or the new one whole."""
    part = path.with_name(path.name + ".part")
    part.write_bytes(content)
    part.replace(path)
