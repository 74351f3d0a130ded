from __future__ import annotations
import csv, dataclasses, os
from dataclasses import dataclass
from pathlib import Path
import numpy as np
from mvcc import Questions
from mvcc.exceptions import InvalidInputError

@dataclass
class Said:
    id: str
    answer: str
    guessed: bool | None
@dataclass
class Row:
    view: str
    id: str
    values: list
    images: list
    bars: list
@dataclass
class ShownGroup:
    group: str
    name: str
    size: int
    exemplars: list
@dataclass
class Card:
    id: str
    why: str
    rows: list
    groups: list
    second_look: str | None
@dataclass
class Status:
    n_answers: int
    n_groups: int
    guessed_of_last_ten: int
    moved: float | None
    hint: int
    settled: bool
    version: int
@dataclass
class Near:
    id: str
    group: str
    answered: bool
@dataclass
class NearView:
    view: str
    rows: list

class FakeSession:
    """data: {view: (X, ids, [values], [images])}"""
    def __init__(self, data, matches, log: Path):
        self.data = data
        self.q = Questions({v: d[0] for v, d in data.items()}, matches)
        self.log = log
        self.n = 0
        if log.exists():
            for id, a in csv.reader(log.open()):
                self._do(id, a)
    def _do(self, id, a):
        if a == "undo": self.q.undo()
        elif a.startswith("merge:"): self.q.merge(a[6:], id)
        elif a.startswith("rename:"): self.q.rename(id, a[7:])
        else: self.q.answer(id, a, again=True)
        self.n += 1
    def _put(self, id, a):
        with self.log.open("a") as f:
            csv.writer(f).writerow([id, a]); f.flush(); os.fsync(f.fileno())
    def next(self, n=1): return self.q.next(n)
    @property
    def groups(self): return self.q.groups
    @property
    def said(self):
        h = self.q._history
        return [(self.q._objects.id(o), h.names[s] if isinstance(s, int) else s) for o, s in h.answers.items()]
    def answer(self, id, answer, *, again=False):
        if answer.startswith("g") and answer[1:].isdigit():
            answer = {g.number: g.name for g in self.groups}[int(answer[1:])]
        before = len(self.q._history.first_answers)
        self.q.answer(id, answer, again=again)
        last = self.q._history.answers[self.q._objects.find(id)]
        name = self.q._history.names[last] if isinstance(last, int) else last
        self._put(id, ("new:" if answer.startswith("new") else "") + name); self.n += 1
        g = [x.guessed for x in self.q._history.first_answers][-1:] 
        return Said(id, name, g[0] if g and answer not in ("unsure", "outlier") and not answer.startswith("new") else None)
    def undo(self):
        r = self.q.undo(); self._put(r or "", "undo"); self.n += 1; return r
    def _name(self, h): return {f"g{g.number}": g.name for g in self.groups}.get(h, h)
    def merge(self, kept, gone):
        kept, gone = self._name(kept), self._name(gone)
        self.q.merge(kept, gone); self._put(gone, "merge:" + kept); self.n += 1
    def rename(self, group, name):
        group = self._name(group)
        self.q.rename(group, name); self._put(group, "rename:" + name); self.n += 1
    def _row(self, v, i):
        X, ids, values, images = self.data[list(self.data)[v]]
        bars = []
        if not values and not images:
            z = (X[i] - X.mean(0)) / (X.std(0) + 1e-9)
            bars = [(f"column {c}", float(z[c])) for c in np.argsort(-abs(z))[:5]]
        return Row(list(self.data)[v], ids[i], [("text", values[i])] if values else [], [images[i]] if images else [], bars)
    def _rows(self, rows): return [self._row(v, i) for v, own in enumerate(rows) for i in own]
    def card(self, q):
        return Card(q.id, f"speaks for about {sum(q.speaks_for)} rows", self._rows(q.rows),
            [ShownGroup(f"g{o.group.number}", o.group.name, o.group.size, [self._rows(o.exemplar)]*2) for o in q.offers], None)
    def nearest(self, q):
        return [NearView(v, [Near(self._row(k, i).id, "no group", True) for i in range(5)]) for k, v in enumerate(self.data)]
    @property
    def status(self):
        p = self.q.progress
        return Status(p.answered, p.groups, p.guessed_of_last_ten, .06 if p.answered >= 20 else None, self.q.n_clusters_hint.n_clusters, False, self.n)
