#!/usr/bin/env python3
"""gensim's word2vec on the walks that `bench_skipgram walks` wrote: the peer of bench_skipgram.

    peer_gensim.py WALKS deepwalk|node2vec THREADS

Prints seconds, and seconds on all cores, of training alone: reading the walks and building the vocabulary
are not counted, as gensim's users may have both already. Needs gensim 4."""
import sys, time
from gensim.models import Word2Vec


def main():
    walks, method, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    deepwalk = method == "deepwalk"
    corpus = [line.split() for line in open(walks)]
    model = Word2Vec(vector_size=128, window=5 if deepwalk else 10, min_count=0, sg=1, sample=0,
                     hs=1 if deepwalk else 0, negative=0 if deepwalk else 5, workers=threads,
                     epochs=5 if deepwalk else 1, alpha=0.025, min_alpha=0.0000025, seed=0)
    model.build_vocab(corpus)
    begin, cpu = time.monotonic(), time.process_time()
    model.train(corpus, total_examples=model.corpus_count, epochs=model.epochs)
    print(f"gensim  {time.monotonic() - begin:.3f} s, {time.process_time() - cpu:.3f} s on all cores")


main()
