"""The judges of spam beside scikit-learn's, five-fold from one run, and how many texts are judged in a minute.

Usage: python bench/spam.py DIR [SETS]: the folder of `sms_spam.tsv` and `tgspam_ru_en.tsv`, not part of the project.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import f1_score
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from bot.spam.labelled import Labelled, read_labelled
from bot.spam.training import Method, folds, measure, train

SEED = 0
METHODS: tuple[Method, ...] = ("linear", "article")


def peers(rows: list[Labelled]) -> None:
    """Print scikit-learn's LinearSVC on character n-grams, and its TF-IDF with the nearer mean by cosine, same folds."""
    texts = [row.text for row in rows]
    spam = np.array([row.spam for row in rows])
    svc, nearer = np.zeros(len(rows), bool), np.zeros(len(rows), bool)
    for kept, tested in folds(list(spam), range(len(rows)), SEED):
        chars = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True)
        fitted = LinearSVC(random_state=0).fit(chars.fit_transform([texts[at] for at in kept]), spam[kept])
        svc[tested] = fitted.predict(chars.transform([texts[at] for at in tested]))
        words = TfidfVectorizer()
        known = words.fit_transform([texts[at] for at in kept])
        means = normalize(
            np.vstack([np.asarray(known[spam[kept] == side].mean(0)) for side in (False, True)])
        )
        cosines = words.transform([texts[at] for at in tested]) @ means.T
        nearer[tested] = cosines[:, 1] > cosines[:, 0]
    for name, called in (("peer: LinearSVC, char_wb 2-5", svc), ("peer: nearest centroid, cosine", nearer)):
        print(f"  {name}: F1 {f1_score(spam, called):.4f}, {int((called & ~spam).sum())} false")


def main() -> None:
    """Print all figures."""
    place = Path(sys.argv[1])
    for name in sys.argv[2:] or ["sms_spam", "tgspam_ru_en"]:
        rows = read_labelled(place / f"{name}.tsv")
        print(f"{name}: {sum(row.spam for row in rows)} spam of {len(rows)}")
        peers(rows)
        for method in METHODS:
            found = measure(rows, method, seed=SEED)
            print(
                f"  {method}: F1 {found.f1:.4f}, {found.false} false of {found.ham}, left to a person "
                f"{found.unsure_spam} spam and {found.unsure_ham} ham; without a margin F1 {found.plain_f1:.4f}, "
                f"{found.plain_false} false"
            )
            model = train(rows, method)
            begun, checked = time.process_time(), 0
            while time.process_time() - begun < 2:
                for row in rows:
                    model.check(row.text)
                checked += len(rows)
            per_minute = checked / (time.process_time() - begun) * 60
            print(f"  {method}: {per_minute:,.0f} checks a minute on one core (wanted: 100,000)", flush=True)


if __name__ == "__main__":
    main()
