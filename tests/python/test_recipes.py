"""What people do first, in at most eight lines each on tables as they have them, and what they do next (docs/python.md)."""

import os
import tempfile
import unittest
import warnings

import numpy as np

import graco
from support import main, module


def orders(folder, customers=120, products=40, groups=4):
    """orders.csv, of customers who buy what their group buys, and the group of each name."""
    rng = np.random.default_rng(0)
    who = rng.integers(customers, size=3000)
    what = (rng.integers(products // groups, size=3000) * groups + who % groups) % products
    stray = rng.random(3000) < 0.1
    what[stray] = rng.integers(products, size=stray.sum())
    path = os.path.join(folder, "orders.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write("timestamp,customer,product,amount\n")
        file.writelines(f"2024-03-{1 + i % 28:02} 10:{i % 60:02},C{a:05},P-{b},{1 + i % 7}.5\n" for i, (a, b) in enumerate(zip(who, what)))
    return path, {f"C{i:05}": i % groups for i in range(customers)} | {f"P-{i}": i % groups for i in range(products)}


def triples(path, groups=3):
    """kg.csv: people who know people and own things, mostly of their group."""
    rng = np.random.default_rng(1)
    rows = ["head,relation,tail"]
    for i in range(1500):
        a = int(rng.integers(150))
        near = a % groups if rng.random() < 0.9 else int(rng.integers(groups))
        thing = rng.random() < 0.4
        rows.append(f"person{a},{'owns' if thing else 'knows'},{'thing' if thing else 'person'}{int(rng.integers(50)) * groups + near}")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(rows) + "\n")


def accounts_and_transfers(folder, n=800):
    """accounts.csv and transfers.csv: rings of fraud that pay each other, and columns as banks have them."""
    rng = np.random.default_rng(2)
    ring = rng.integers(n // 20, size=n)
    fraud = (ring < n // 80).astype(int)

    def gaps(values, share):
        return ["" if rng.random() < share else value for value in values]

    balance = np.exp(rng.normal(8 - 0.7 * fraud, 2.5))
    age = np.clip(rng.normal(45 - 4 * fraud, 15, size=n), 18, 90).round()
    country = np.where(rng.random(n) < 0.25 + 0.25 * fraud, "NL", rng.choice(["CH", "DE", "FR", "IT"], size=n))
    channel = np.where(rng.random(n) < 0.3 + 0.2 * fraud, "online", rng.choice(["branch", "phone"], size=n))
    opened = np.datetime64("2010-01-01") + rng.integers(0, 4000, size=n) + 400 * fraud
    columns = [[f"A{i:04}" for i in range(n)], [f"{b:.2f}" for b in balance], gaps(age, 0.15), gaps(country, 0.1), channel, opened, fraud]
    with open(os.path.join(folder, "accounts.csv"), "w", encoding="utf-8") as file:
        file.write("account_id,balance,age,country,channel,opened,fraud\n")
        file.writelines(",".join(map(str, row)) + "\n" for row in zip(*columns))
    with open(os.path.join(folder, "transfers.csv"), "w", encoding="utf-8") as file:
        file.write("timestamp,from_account,to_account,amount\n")
        for i in range(5 * n):
            a = int(rng.integers(n))
            same = np.flatnonzero(ring == ring[a])
            b = int(rng.choice(same)) if rng.random() < 0.25 else int(rng.integers(n))
            file.write(f"2024-03-{1 + i % 28:02},A{a:04},A{b:04},{rng.lognormal(4, 1):.2f}\n")


def auc(truth, score):
    """The share of pairs of a fraud and an honest account that the scores tell."""
    above = score[truth == 1][:, None] - score[truth == 0][None, :]
    return float(((above > 0) + 0.5 * (above == 0)).mean())


class First(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_lines(self, code, **names):
        lines = [line for line in code.strip().splitlines() if line.strip()]
        self.assertLessEqual(len(lines), 8)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            exec("\n".join(line.strip() for line in lines), names)
        return names

    def test_customers_and_products(self):
        module("pandas")
        path, group = orders(self.folder)
        found = self.run_lines("""
            import pandas as pd, graco
            orders = pd.read_csv(path)
            g = graco.Graph(orders, source="customer", target="product", weight="amount")
            Z = graco.GAE(hidden=32, epochs=60, seed=1).fit(g).to_frame()
            index, score = graco.neighbours(Z, k=10)
            similar = {name: Z.index[rows].tolist() for name, rows in zip(Z.index, index)}
            print(g.reading_, similar["C00011"])
        """, path=path)
        right = [group[other] == group[name] for name, others in found["similar"].items() for other in others]
        self.assertGreater(np.mean(right), 0.8)  # by chance a quarter
        self.assertIn("3000 edges; nodes have names; edges from `customer` to `product`; weights `amount`; left out: `timestamp`",
                      found["g"].reading_)

    def test_fraud(self):
        """Columns as they are serve as well as columns that somebody prepared, and far better than bare numbers."""
        pd = module("pandas")
        accounts_and_transfers(self.folder)
        found = self.run_lines("""
            import pandas as pd, graco
            accounts = pd.read_csv(folder + "/accounts.csv", index_col="account_id")
            fraud = accounts.pop("fraud")
            g = graco.Graph(pd.read_csv(folder + "/transfers.csv"), features=accounts)
            Z = graco.GAE(hidden=32, epochs=60, seed=1, threads=1).fit(g).to_frame()
            known = fraud.where(fraud.index.str[-1].astype(int) % 2 == 0)
            P = graco.predict_proba(Z, known)
        """, folder=self.folder)
        accounts, fraud, known = found["accounts"], found["fraud"].loc[found["Z"].index], found["known"].loc[found["Z"].index]
        hidden = known.isna().to_numpy()
        truth = fraud.to_numpy()[hidden]
        raw = auc(truth, found["P"][hidden, 1])

        def of(features):
            g = graco.Graph(found["g"].node_ids[found["g"].edges.T], names=found["g"].node_ids, features=features, directed=True)
            Z = graco.GAE(hidden=32, epochs=60, seed=1, threads=1).fit(g).to_frame()
            return auc(truth, graco.predict_proba(Z.loc[known.index], known)[hidden, 1])

        accounts = accounts.loc[found["g"].node_ids]
        days = pd.to_datetime(accounts["opened"]).astype("int64")
        by_hand = [accounts[["balance"]].rank(pct=True), days, accounts["age"].fillna(accounts["age"].median()), accounts["age"].isna(),
                   pd.get_dummies(accounts["country"]), accounts["country"].isna(), pd.get_dummies(accounts["channel"])]
        X = np.column_stack([np.asarray(part, dtype=float) for part in by_hand])
        bare = np.column_stack([accounts["balance"], accounts["age"].fillna(0), days / days.max() * 1e4])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            hand, plain = of((X - X.mean(axis=0)) / X.std(axis=0)), of(bare)
        self.assertGreater(raw, hand - 0.02)
        self.assertGreater(raw, plain + 0.1)
        self.assertGreater(raw, 0.7)

    def test_knowledge_graph(self):
        module("pandas")
        path = os.path.join(self.folder, "kg.csv")
        triples(path)
        found = self.run_lines("""
            import pandas as pd, graco
            kg = pd.read_csv(path)
            g = graco.Graph(kg)
            model = graco.Node2Vec(hidden=32, epochs=3, seed=1, threads=1).fit(g)
            index, score = graco.neighbours(model.embedding_, k=5)
            print(g.reading_, model.node_ids_[index[0]])
        """, path=path)
        names = found["model"].node_ids_
        self.assertFalse({"owns", "knows"} & set(names))
        group = [int(name.lstrip("personthig")) % 3 for name in names]
        right = [group[i] == group[j] for i, row in enumerate(found["index"]) for j in row]
        self.assertGreater(np.mean(right), 0.7)  # by chance a third
        self.assertIn("edges from `head` to `tail`; left out: `relation`", found["g"].reading_)


class Next(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        edges = [(f"n{i}", f"n{(i + j) % 100}") for i in range(100) for j in (1, 2)]
        cls.model = graco.Node2Vec(hidden=8, epochs=1, seed=1, threads=1).fit(edges)
        cls.index, cls.score = graco.neighbours(cls.model.embedding_, k=3)

    def test_duckdb(self):
        """A query becomes a graph; the database finds the same neighbours."""
        db = module("duckdb").connect()
        db.sql("create table orders as select 'c' || range % 20 as customer, 'p' || range * 5 % 11 as product from range(1000)")
        g = graco.Graph(db.sql("select customer, product, count(*) as times from orders group by all order by all"),
                        source="customer", target="product", weight="times")
        self.assertEqual((g.n_nodes, g.n_edges, float(g.weights.sum())), (31, 440, 2000))
        frame = self.model.to_frame(kind="duckdb", vectors=True).arrow()  # noqa: F841: the query names it
        db.sql("create table embeddings as select * from frame")
        names = self.model.node_ids_
        for row in (0, 57):
            near = db.sql(f"""select b.node, array_cosine_similarity(a.vector, b.vector) as score from embeddings a, embeddings b
                          where a.node = '{names[row]}' and b.node <> a.node order by score desc limit 3""").fetchall()
            self.assertEqual([node for node, _ in near], names[self.index[row]].tolist())
            np.testing.assert_allclose([score for _, score in near], self.score[row], atol=1e-5)

    def test_faiss(self):
        faiss = module("faiss")
        Z = self.model.embedding_ / np.linalg.norm(self.model.embedding_, axis=1, keepdims=True)
        exact = faiss.IndexFlatIP(Z.shape[1])
        exact.add(Z)
        score, row = exact.search(Z, 4)
        self.assertEqual(row[:, 1:].tolist(), self.index.tolist())
        np.testing.assert_allclose(score[:, 1:], self.score, atol=1e-5)

    def test_usearch(self):
        Index = module("usearch.index").Index
        fast = Index(ndim=8, metric="cos")
        fast.add(np.arange(100), self.model.embedding_)
        found = [set(fast.search(row, 4).keys) - {i} for i, row in enumerate(self.model.embedding_)]
        same = np.mean([len(near & set(wanted)) / 3 for near, wanted in zip(found, self.index.tolist())])
        self.assertGreater(same, 0.95)  # it searches approximately

    def test_vectors_in_parquet(self):
        pq = module("pyarrow.parquet")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "z.parquet")
            self.model.to_parquet(path, vectors=True)
            table = pq.read_table(path)
        self.assertEqual(table["node"].to_pylist(), self.model.node_ids_.tolist())
        self.assertEqual(np.array(table["vector"].to_pylist(), np.float32).tobytes(), self.model.embedding_.tobytes())


main()
