#!/usr/bin/env bash
# Tables as users have them: the command says how it understood each, reads the same graph from each
# form, and refuses what can be read in two ways until an option decides.
set -euo pipefail

graco=$1/graco
. "$(dirname "$0")/../check.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# says LINE ARGUMENT...: graco info must succeed and say LINE on stderr.
says() {
    local line=$1
    shift
    if ! "$graco" info "$@" >out 2>err; then
        fail "info $*: $(cat err)"
    else
        holds "info $*: '$line' in: $(cat err)" grep -qxF -- "$line" err
    fi
}
# refuses PART ARGUMENT...: graco info must fail with a message that holds PART.
refuses() {
    local part=$1
    shift
    if "$graco" info "$@" >out 2>err; then
        fail "info $*: accepted"
    else
        holds "info $*: '$part' in: $(cat err)" grep -qF -- "$part" err
    fi
}

printf '0,1\n1,2\n2,3\n' >plain.csv
printf '.5,1\n.25,0\n.75,1\n.125,1\n' >x.csv
printf '0\n1\n0\n1\n' >y.csv
printf 'source,target\n0,1\n1,2\n2,3\n' >headed.csv
printf 'node_id,f0,f1\n3,.125,1\n1,.25,0\n0,.5,1\n2,.75,1\n' >ids.csv
printf 'node_id,label\n2,0\n0,0\n1,1\n3,1\n' >labelled.csv

says 'plain.csv: 3 edges; nodes have numbers; no header; undirected' plain.csv
says 'x.csv: rows are in the order of the nodes; 2 features; no header' plain.csv --features x.csv
says 'headed.csv: 3 edges; nodes have numbers; edges from `source` to `target`; header; undirected' headed.csv
says 'ids.csv: column 1 `node_id` names nodes; 2 features; header' plain.csv --features ids.csv
says 'labelled.csv: column 1 names nodes; 2 classes, which have numbers; header' plain.csv \
    --labels labelled.csv

# Text in any script, with or without a byte order mark, whichever byte is the first; no other file.
for text in 'Éva,b\nb,Éva\n' '日本,中国\n中国,Éva\n' '\xef\xbb\xbfÉva,b\n' 'ß b\nb c\n' '\xe9,c\nb,c\n' \
    '\xef\xbb\xbfa,b\r\n' '😀\t😁\n'; do
    printf "$text" >script.csv
    says "script.csv: $(grep -c '' script.csv) edges; nodes have names; no header; undirected" script.csv
    gzip -f script.csv
    says "script.csv.gz: $(zcat script.csv.gz | grep -c '') edges; nodes have names; no header; undirected" script.csv.gz
done
printf 'Éva,.5\nb,.25\n' >script_x.csv
printf 'Éva,b\n' >script.csv
says 'script_x.csv: column 1 names nodes; 1 features; no header' script.csv --features script_x.csv
printf '\x80\x04\x95\x10pickle' >binary
refuses 'binary: neither an .npz archive nor a text file' binary
printf '\x89PNG\r\n\x1a\n' >binary
refuses 'binary: neither an .npz archive nor a text file' binary
printf '\xff\xfea\0,\0b\0' >wide
refuses 'wide: the text is UTF-16: expected UTF-8' wide

# A header decides which column is which.
printf 'target,source\nb,a\nc,b\n' >turned.csv
printf 'weight,to,from\n1,b,a\n1,c,b\n' >weighed.csv
printf 'a,b\nb,c\n' >straight.csv
for name in turned weighed straight; do "$graco" convert $name.csv $name.npz 2>/dev/null; done
same turned.npz straight.npz
same weighed.npz straight.npz
says 'turned.csv: 2 edges; nodes have names; edges from `source` to `target`; header; undirected' turned.csv
printf 'source,kind,target\na,friend,b\n' >kinds.csv
says 'kinds.csv: 1 edges; nodes have names; edges from `source` to `target`; left out: `kind`; header; undirected' kinds.csv

# The same graph, whatever the form.
"$graco" convert plain.csv a.npz --features x.csv --labels y.csv 2>/dev/null
"$graco" convert headed.csv b.npz --features ids.csv --labels labelled.csv 2>/dev/null
same a.npz b.npz

# Classes that are words keep their names, also through graco's own format.
printf '2,red\n0,blue\n1,red\n3,green\n' >words.csv
"$graco" convert plain.csv words.npz --labels words.csv 2>/dev/null
"$graco" convert words.npz words 2>/dev/null
for set in "plain.csv --labels words.csv" words.npz words; do
    "$graco" info $set >out 2>/dev/null
    holds "info $set names classes: $(cat out)" grep -q '^class names  *blue, green, red$' out
    "$graco" info $set --json >out 2>/dev/null
    holds "info --json too: $(cat out)" grep -qF '"class_names": ["blue", "green", "red"]' out
done
"$graco" info a.npz >out
holds "numbers have no names" bash -c '! grep -q "class names" out'

# A first label that is a word of ids is no header in silence.
printf 'ann bob\nbob cid\n' >people.txt
printf 'ann,name\nbob,red\ncid,red\n' >first.csv
refuses 'with "name", may be a header or the label of a node' people.txt --labels first.csv
says 'first.csv: column 1 names nodes; 2 classes, which have names; no header' people.txt \
    --labels first.csv --header no
printf 'label,name\nred,ann\nred,bob\nblue,cid\n' >turned.csv
says 'turned.csv: column 2 names nodes; 2 classes, which have names; header' people.txt \
    --labels turned.csv
printf '0,node\n1,edge\n2,node\n3,edge\n' >parts.csv
says 'parts.csv: column 1 names nodes; 2 classes, which have names; no header' plain.csv \
    --labels parts.csv

# Nor is one whose label alone is no number, if the line may be a node's: it would lose its label, or all would move.
for first in 'ann,red' 'dan,none' 'dan,1.0' '0,red'; do
    printf '%s\nbob,1\ncid,0\n' "$first" >first.csv
    refuses "with \"${first#*,}\", may be a header or the label of a node" people.txt --labels first.csv
done
printf 'person,team\nbob,1\ncid,0\n' >first.csv
says 'first.csv: column 1 names nodes; 2 classes, which have numbers; header; 1 of 3 nodes have no label' people.txt \
    --labels first.csv
printf 'ann,NA\nbob,1\ncid,0\n' >unknown.csv
says 'unknown.csv: column 1 names nodes; 2 classes, which have numbers; no header; 1 of 3 nodes have no label' people.txt \
    --labels unknown.csv
for first in red '?' 1.0; do
    printf '%s\n1\n0\n1\n' "$first" >first.csv
    refuses "with \"$first\", may be a header or the label of a node" plain.csv --labels first.csv
done
says 'first.csv: rows are in the order of the nodes; 2 classes, which have numbers; header; 1 of 4 nodes have no label' \
    plain.csv --labels first.csv --header yes
printf 'team\n1\n0\n1\n1\n' >first.csv
says 'first.csv: rows are in the order of the nodes; 2 classes, which have numbers; header' plain.csv --labels first.csv
printf '0,1\n1,0\n01,1\n' >twice.csv
refuses 'twice.csv has two rows for node 1' plain.csv --labels twice.csv

# Nothing is said beside JSON.
"$graco" info headed.csv --json >out 2>err
holds "no notes beside JSON" test ! -s err

# A decimal comma is no separator in silence.
for first in 'a;b;1,5' 'a b 1,5' '0 1 0,25'; do
    printf '%s\nb c 2,5\n' "$first" >comma.csv
    refuses "and the weight \"${first##*[; ]}\", which needs a point" comma.csv
done
printf 'a b 1,5\nb c 2,5\n' >comma.csv
says 'comma.csv: 2 edges; nodes have names; no header; undirected' comma.csv --delimiter comma
printf 'ann lee,5\nbob lee,6\n' >comma.csv
says 'comma.csv: 2 edges; nodes have names; no header; undirected' comma.csv

printf 'paper,cites\n0,1\n1,2\n' >doubt.csv
says 'doubt.csv: 2 edges; nodes have numbers; edges from `paper` to `cites`; header; undirected' doubt.csv
says 'doubt.csv: 2 edges; nodes have numbers; edges from `paper` to `cites`; header; undirected' doubt.csv --header yes
says 'doubt.csv: 3 edges; nodes have names; no header; undirected' doubt.csv --header no
printf 'rank,f\n3,1\n2,1\n1,0\n0,0\n' >rank.csv
refuses 'may be ids or a feature: --id-column 1 or --id-column none decides' plain.csv \
    --features rank.csv
says 'rank.csv: column 1 `rank` names nodes; 1 features; header' plain.csv --features rank.csv \
    --id-column rank
says 'rank.csv: rows are in the order of the nodes; 2 features; header' plain.csv \
    --features rank.csv --id-column none
(echo a,b,f && seq 0 11 | sed 's/$/.5,1/' | paste -d, - <(seq 11 -1 0)) >last.csv
seq 0 10 | awk '{ print $1 "," $1 + 1 }' >path.csv
refuses 'column 3 has the number of each node once, and may be ids or a feature: --id-column 3' \
    path.csv --features last.csv
says 'last.csv: column 3 `f` names nodes; 2 features; header' path.csv --features last.csv --id-column f
sed 1d last.csv >plain_last.csv
says 'plain_last.csv: column 3 names nodes; 2 features; no header' path.csv --features plain_last.csv
printf 'New York\tRome\nRome\tSan Jose, CA\n' >cities.tsv
says 'cities.tsv: 2 edges; nodes have names; no header; undirected' cities.tsv
printf '0|1\n1|2\n' >bars.txt
says 'bars.txt: 2 edges; nodes have numbers; no header; undirected' bars.txt --delimiter '|'
refuses "header 'maybe': expected yes or no" plain.csv --header maybe
refuses "delimiter 'bars': expected one character" plain.csv --delimiter bars
refuses "goes with an edge list only" a.npz --header yes

printf '%%%%MatrixMarket matrix coordinate pattern general\n4 4 3\n1 2\n2 3\n3 4\n' >m.mtx
says 'm.mtx: 3 edges; nodes have numbers; MatrixMarket' m.mtx
"$graco" convert m.mtx c.npz --features x.csv --labels y.csv 2>/dev/null
exits 0 "" convert plain.csv directed.npz --features x.csv --labels y.csv --directed
same directed.npz c.npz

# Weights are read, said, kept by convert and left out if asked.
printf 'source,target,weight\n0,1,2\n1,2,.5\n2,3,1\n' >weighted.csv
says 'weighted.csv: 3 edges; nodes have numbers; edges from `source` to `target`; weights `weight`; header; undirected' weighted.csv
says 'weighted.csv: 3 edges; nodes have numbers; edges from `source` to `target`; weights `weight`; weights are left out; header; undirected' \
    weighted.csv --unweighted
printf 'source,target,year\n0,1,1999\n1,2,0\n2,3,-44\n' >years.csv
says 'years.csv: 3 edges; nodes have numbers; edges from `source` to `target`; left out: `year`; header; undirected' \
    years.csv
"$graco" convert weighted.csv weighted.npz --features x.csv --labels y.csv 2>/dev/null
"$graco" info weighted.npz >out
holds "info says that there are weights: $(cat out)" grep -q '^weights  *yes$' out
"$graco" convert weighted.csv unweighted.npz --features x.csv --labels y.csv --unweighted 2>/dev/null
same a.npz unweighted.npz
for weight in 0 -1 nan inf 1e99; do
    printf '0,1,2\n1,2,%s\n' $weight >wrong.csv
    refuses "wrong.csv, line 2: " wrong.csv
done
printf "0,1,2\n1,2\n" >wrong.csv
refuses "line 2: 2 fields" wrong.csv

# Columns beside those that a header names are left out; a data frame's column of row numbers too, packed or not.
printf ',year,target,weight,source,kind\n0,1999,1,2,0,\n1,,2,1,1,"a, b"\n2,2001,3,1,2,c\n' >frame.csv
says 'frame.csv: 3 edges; nodes have numbers; edges from `source` to `target`; weights `weight`; left out: `year`, `kind`; row numbers, left out; header; undirected' frame.csv
says 'frame.csv: 3 edges; nodes have numbers; edges from `source` to `target`; weights `weight`; left out: `year`, `kind`; weights are left out; row numbers, left out; header; undirected' \
    frame.csv --unweighted
printf '0,1,2,5\n1,2,1,5\n' >bare4.csv
refuses "bare4.csv has 4 columns and no header that names source and target: name the two by number, such as --source 1 --target 2" bare4.csv
refuses "none are called as ends are: name the two, such as --source 0 --target 1" bare4.csv --header yes
says 'bare4.csv: 2 edges; nodes have numbers; edges from column 2 to column 3; weights in column 4; 1 column left out; no header; directed' \
    bare4.csv --source 2 --target 3 --weight 4 --directed
printf ',node_id,label\n0,2,0\n1,0,0\n2,1,1\n3,3,1\n' >frame-y.csv
printf ',node_id,f0,f1\n0,3,.125,1\n1,1,.25,0\n2,0,.5,1\n3,2,.75,1\n' >frame-x.csv
gzip -k frame.csv frame-x.csv frame-y.csv
for end in "" .gz; do
    "$graco" convert frame.csv$end framed$end.npz --features frame-x.csv$end --labels frame-y.csv$end --unweighted 2>err
    holds "column 2: $(cat err)" grep -qxF "frame-y.csv$end: column 2 names nodes; 2 classes, which have numbers; header" err
    holds "column 2: $(cat err)" \
        grep -qxF "frame-x.csv$end: column 2 \`node_id\` names nodes; 2 features; row numbers, left out; header" err
    same a.npz framed$end.npz
done
printf ',label\n2,0\n0,0\n1,1\n3,1\n' >index-y.csv
"$graco" convert plain.csv indexed.npz --features x.csv --labels index-y.csv 2>/dev/null
same a.npz indexed.npz

# Ends by the names of columns, or as the options say. What could be read in two ways is refused.
printf 'head,relation,tail\na,likes,b\nb,likes,c\nc,owns,a\n' >triples.csv
says 'triples.csv: 3 edges; nodes have names; edges from `head` to `tail`; left out: `relation`; header; undirected' triples.csv
sed 1d triples.csv >bare3.csv
refuses 'has 3 columns, the third without weights, and no header that names source and target: name the two by number, such as --source 1 --target 3' bare3.csv
says 'bare3.csv: 3 edges; nodes have names; edges from column 1 to column 3; 1 column left out; no header; undirected' \
    bare3.csv --source 1 --target 3
"$graco" convert triples.csv triples.npz 2>/dev/null
"$graco" convert bare3.csv bare3.npz --source 1 --target 3 2>/dev/null
same triples.npz bare3.npz
printf 'customer,product\nann,tea\nbob,milk\n' >shop.csv
refuses 'the first line, "customer" and "product", may be a header or an edge: --header yes or --header no decides' shop.csv
says 'shop.csv: 2 edges; nodes have names; edges from `customer` to `product`; header; undirected' shop.csv --header yes
says 'shop.csv: 2 edges; nodes have names; edges from `product` to `customer`; header; undirected' shop.csv --source product
printf 'time\tcustomer\tproduct\tamount\n1\tann\ttea\t3\n2\tann\ttea\t4\n3\tbob\ttea\t1\n' >orders.tsv
gzip -k orders.tsv
for file in orders.tsv orders.tsv.gz; do
    refuses 'of which none are called as ends are: name the two, such as --source customer --target product' $file
    says "$file: 3 edges; nodes have names; edges from \`customer\` to \`product\`; weights \`amount\`; left out: \`time\`; header; undirected; 1 row repeats an edge and is merged, weights added" \
        $file --source customer --target product --weight amount
    "$graco" info $file --source 2 --target 3 --weight 4 --of tea >out 2>/dev/null
    holds "weights are added: $(cat out)" grep -q 'neighbours  *2: ann (7), bob' out
done
says 'orders.tsv: 3 edges; nodes have names; edges from `customer` to `product`; left out: `time`, `amount`; header; undirected; 1 row repeats an edge and is merged, and counted as weights' \
    orders.tsv --source customer --target product --count-repeats
"$graco" info orders.tsv --source 2 --target 3 --count-repeats --of tea >out 2>/dev/null
holds "rows are counted: $(cat out)" grep -q 'neighbours  *2: ann (2), bob' out
printf 'C1,P1\nC2,P2\nC3,P3\nC4,P4\n' >pairs.csv
says 'pairs.csv: 4 edges; nodes have names; no header; undirected' pairs.csv
sed -i '1i buyer,item' pairs.csv
says 'pairs.csv: 4 edges; nodes have names; edges from `buyer` to `item`; header; undirected' pairs.csv
printf ',customer,product\n0,ann,tea\n1,bob,milk\n' >indexed.csv
says 'indexed.csv: 2 edges; nodes have names; edges from `customer` to `product`; row numbers, left out; header; undirected' indexed.csv
printf 'customer_id,product_id\nann,tea\nbob,milk\n' >ids.csv
says 'ids.csv: 2 edges; nodes have names; edges from `customer_id` to `product_id`; header; undirected' ids.csv
refuses 'ids.csv: no column is called '"'x'"' (source): expected one of `customer_id`, `product_id`, or a number from 1 to 2' ids.csv --source x
refuses "column \`customer_id\` is both source and target" ids.csv --source 1 --target customer_id
refuses "unweighted and weight 'w' are both set" ids.csv --weight w --unweighted
refuses "m.mtx is MatrixMarket, which has no columns to choose" m.mtx --source 1
refuses "what is said of columns (target) goes with an edge list only" a.npz --target 1
refuses "what is said of columns (count-repeats) goes with an edge list only" a.npz --count-repeats
refuses "undirected and directed are both set" plain.csv --directed --undirected
printf 'PAR1\0\0' >t.parquet
refuses 'graco.Graph(pandas.read_parquet("t.parquet")).save("graph.npz")' t.parquet
printf 'ARROW1\0\0' >t.feather
refuses 'graco.Graph(pandas.read_feather("t.feather")).save("graph.npz")' t.feather

# Features of words, gaps and dates: what became of each, and the same by name in another table.
seq 0 19 | awk '{ print $1, ($1 + 1) % 20 }' >cycle.txt
seq 0 19 | awk 'BEGIN { print "id,country,age,amount,since,one" }
    { printf "%d,%s,%s,%d,2024-0%d-11,7\n", $1, $1 % 3 ? "CH" : "DE", $1 == 4 ? "NA" : 20 + $1 % 7, $1 ^ 5, 1 + $1 % 9 }' >people.csv
says 'people.csv: column 1 `id` names nodes; 5 columns; header; 6 features: `country` 2 words, `age` standardised with gaps, `amount` standardised, `since` standardised, `one` constant, left out' \
    cycle.txt --features people.csv
exits 0 "" train cycle.txt --features people.csv -o people --epochs 2 --set hidden=4 --device cpu -q
awk -F, -v OFS=, '{ print $5, $4, $3, $2, $1 }' people.csv >turned_people.csv
exits 0 "" embed people cycle.txt --features turned_people.csv -o turned.npy
same turned.npy people/embeddings.npy
cut -d, -f1-3,5- people.csv >fewer.csv
exits 2 'the features have no column `amount`' embed people cycle.txt --features fewer.csv -o fewer.npy
exits 0 "" train cycle.txt --features people.csv -o ranked --epochs 2 --set hidden=4 --device cpu -q --set scaling=quantile
holds "another scaling, other embeddings" bash -c '! cmp -s people/embeddings.npy ranked/embeddings.npy'

# Ids that look alike, and ids of other nodes.
printf 'ann,bob\nbob,cem\n' >named.csv
printf ',label\n0,x\n1,y\n' >other-y.csv
refuses "other-y.csv names no node of the graph: its first id is '0', and 'ann' is a node" named.csv --labels other-y.csv
printf '9,1\n8,0\n' >other-y.csv
refuses "has a row for '9': expected a node number below 6" plain.csv --labels other-y.csv
printf '5,1\n4,0\n' >other-y.csv
refuses "other-y.csv names no node of the graph: its first id is '5', and '0' is a node" plain.csv --labels other-y.csv
printf 'id,label\nbob,x\ndan,y\n' >more-y.csv
says "more-y.csv: column 1 names nodes; 2 classes, which have names; header; 2 of 4 nodes have no label; 1 of its nodes has no edge" \
    named.csv --labels more-y.csv
printf 'id,label\n1,x\n01,y\n2,x\n' >twice-y.csv
refuses "twice-y.csv has two rows for node 1" plain.csv --labels twice-y.csv
printf 'source,target\n0,1.0\n1,2.0\n' >float.csv
refuses "float.csv calls nodes both '1' and '1.0': expected numbers that are written alike" float.csv
for text in '0,1.0\n2,3.0\n' 'v1,1.0\n1,2.0\n' '1.0,2.0\n2.0,1.0\n'; do
    printf "$text" >apart.csv
    says "apart.csv: 2 edges; nodes have names; no header; undirected" apart.csv
done

checked
