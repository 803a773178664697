#!/usr/bin/env bash
# graco report: the numbers are those of `graco eval`, the bytes the same for any number of threads; runs that are damaged,
# unfinished or without their data give a page with what there is, or one line.
set -euo pipefail
. "$GRACO_SOURCE/tests/check.sh"
graco=$1/graco
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
small=(--epochs 6 --set hidden=8 --set encoder=gcn --set parts=learned --device cpu -q)
shows() { holds "$1 shows: $2" grep -qF -- "$2" "$1"; }
lacks() { holds "$1 does not show: $2" bash -c '! grep -qF -- "$2" "$1"' - "$1" "$2"; }
page() { exits 0 "wrote ${*: -1}" report --splits 2 --device cpu -o "${@: -1}" "${@:1:$#-1}"; }

exits 0 "" generate g.npz --nodes 200 --features 30 --classes 3
exits 0 "" train g.npz -o one "${small[@]}"
exits 0 "" train g.npz -o two --set tau=0.9 "${small[@]}"
exits 0 "" train g.npz -o seeds --runs 2 "${small[@]}"
exits 0 "" train g.npz -o others --runs 2 --set tau=0.2 "${small[@]}"
exits 0 "" train g.npz -o classes --method gcn --splits 2 --epochs 3 --set hidden=8 --device cpu -q

# One run: its sections, its settings that differ, the scores of graco eval, the clusters of its task.
page one one.html
for part in summary scores training curves embeddings maps methods; do shows one.html "<section id=\"$part\">"; done
lacks one.html '<section id="comparison">'
shows one.html '<strong>8</strong><span class="more"> (preset: 256)</span>'
lacks one.html 'rowsum</strong><span class="more"> (preset: auto)'
shows one.html 'peak memory of the process'
mean=$("$graco" eval one g.npz --splits 2 --device cpu 2>/dev/null | sed -n 's/^one  *\([0-9.]*\) .*/\1/p')
shows one.html "<td class=\"n\">$mean</td>"
nmi=$("$graco" eval one g.npz --task cluster | sed -n 's/.*NMI \([0-9.]*\) .*/\1/p')
holds "the page has the NMI $nmi" grep -qF "<td class=\"n\">$(printf %.3f "$nmi")</td>" one.html
exits 0 "" report one --splits 2 --device cpu --threads 1 -o again.html
same one.html again.html
exits 0 "" report one --splits 2 --device cpu --threads 7 -o again.html
same one.html again.html
exits 0 "" report one --splits 2 --device cpu --no-map -o bare.html
lacks bare.html '<section id="maps">'
lacks bare.html script-src
exits 0 "" report one --splits 2 --no-map --title 'a <b> & "c"' -o titled.html
shows titled.html '<title>a &lt;b&gt; &amp; &quot;c&quot;</title>'

# Several: every pair, by split for one seed, by seed where two are in common; a supervised run with its splits.
page one two seeds others classes five.html
shows five.html '<section id="comparison">'
holds "ten pairs" [ "$(sed -n '/<section id="comparison">/,/<\/section>/p' five.html | grep -c '<tr><th scope="row"')" = 10 ]
shows five.html '<td class="short">seeds</td>'
shows five.html '<td class="short">splits</td>'
shows five.html '5 classes'
difference=$("$graco" eval one two g.npz --splits 2 --device cpu 2>/dev/null | sed -n 's/^one - two: \([-+0-9.]*\) .*/\1/p')
shows five.html ">${difference/-/−}"

# Runs that were scored on other splits are not compared.
exits 0 "" report one classes --splits 2 --seed 5 --device cpu --no-map -o apart.html
lacks apart.html '<td class="short">splits</td>'

# Damaged and unfinished runs.
cp -r one torn; head -c 400 one/metrics.jsonl >torn/metrics.jsonl
page torn --no-map torn.html
shows torn.html 'torn/metrics.jsonl is damaged after line'
shows torn.html '<section id="curves">'
cp -r one wild; sed '2s/"epoch": *2/"epoch": 1e200/' one/metrics.jsonl >wild/metrics.jsonl
page wild --no-map wild.html
shows wild.html 'wild/metrics.jsonl is damaged after line 1'
cp -r one long; sed "s/\"edges\": *[0-9]*/\"edges\": \"$(printf '9%.0s' {1..155})\"/" one/config.json >long/config.json
page long --no-map long.html
cp -r one bare; rm bare/metrics.jsonl bare/config.json
page bare --no-map bare.html
shows bare.html 'bare/config.json is not there'
shows bare.html 'bare/metrics.jsonl is not there'
shows bare.html '<section id="embeddings">'
lacks bare.html '<section id="curves">'
cp -r one broken; printf '{"method": "grace", ' >broken/config.json; : >broken/metrics.jsonl
page broken --no-map broken.html
shows broken.html 'the settings are not known: broken/config.json'
cp -r one stopped; sed -i 's/"epochs": 6/"epochs": 60/' stopped/config.json; : >stopped/embeddings.npy
page stopped stopped.html
shows stopped.html 'the training has done 6 of 60 epochs'
shows stopped.html 'stopped has no embeddings of its last checkpoint'
# The line in which a training had ended, before it was resumed with more epochs and stopped.
cp -r one further; sed -i 's/"epochs": 6/"epochs": 60/' further/config.json
sed -i '3s/"loss"/"best_epoch":3,"ended":"epochs","loss"/' further/metrics.jsonl
page further --no-map further.html
shows further.html 'the training has done 6 of 60 epochs'
lacks further.html 'ended by epochs'
lacks stopped.html '<section id="scores">'
cp -r one short; head -c 300 one/embeddings.npy >short/embeddings.npy
page short --no-map short.html
shows short.html 'the embeddings are not measured: short/embeddings.npy'
cp -r one odd; sed -i 's/"method": "grace"/"method": "nobody"/; s/"tau": [0-9.]*/"tau": null, "new": "7"/' odd/config.json
page odd --no-map odd.html
shows odd.html 'nobody'
page one broken stopped --no-map three.html
shows three.html 'No two runs have scores'

# Data that are not there, others, and elsewhere.
mv g.npz h.npz
page one --no-map away.html
shows away.html 'its data set is not there'
lacks away.html '<section id="scores">'
exits 0 "wrote" report one --data h.npz --splits 2 --device cpu --no-map -o moved.html
shows moved.html "<td class=\"n\">$mean</td>"
exits 0 "" generate g.npz --nodes 200 --features 30 --classes 3 --seed 5
page one --no-map other.html
shows other.html 'one was trained on other data than g.npz, which differs in: graph'
echo nonsense >g.npz
exits 1 "g.npz" report one -o failed.html
holds "no page is left" [ ! -e failed.html ]

# What is no run is refused before the work.
mkdir empty
exits 1 "empty holds no run" report empty -o x.html
exits 2 "nothing is no folder" report nothing -o x.html
exits 2 "ends with .html" report one -o x.pdf
exits 2 "expected -o" report one
checked
