/**
 * Commands with which agents look around in a project, as they write them all day: one of each kind, none chosen because
 * it is easy. How many of them are asked about is measured.
 */
export const lookingAround: readonly string[] = `
ls
ls -la
ls -la src/ packages/
ls packages/{core,cli}
ls -1 *.md
ls -lt src | head -20
ls -R docs | head -50
pwd && ls
cd packages/core && cat ../../package.json
cd packages/core && ls -la && cat package.json
cd src; ls; cd ../test; ls
(cd packages/core && ls src)
cat package.json
cat src/index.ts src/cli.ts
cat README.md | head -80
cat -n src/index.ts | sed -n '10,40p'
cat *.md
cat package.json | jq .scripts
cat src/*.ts | wc -l
head -50 src/index.ts
head -n 5 *.md
head -c 300 dist/bundle.js
tail -n 30 CHANGELOG.md
tail -n +20 src/index.ts | head -30
tail -100 npm-debug.log | grep -i error
sed -n 1,60p src/index.ts
sed -n '/^export/p' src/index.ts
sed -n 1,5p *.md
sed -e 's/a/b/' f
sed 's/^[ \\t]*//' notes.txt | sort | uniq -c | sort -rn | head
sort *.txt
sort -u words.txt | wc -l
sort -t, -k2 -n data.csv | head
grep -rn "TODO" src
grep -rn --include=*.ts "createHost" packages
grep -rnE "(foo|bar)\\(" src --include='*.ts' | head -20
grep -n "export" src/index.ts | head
grep -c "" src/*.ts
grep -l "zod" packages/*/package.json
grep -A3 -B3 "describe" test/a.test.ts
grep -rIl "needle" . --exclude-dir=node_modules --exclude-dir=.git
grep -v '^#' .gitignore
grep -oP '"version": "\\K[^"]+' package.json
rg -n "createSession" -g '*.ts' | head -30
rg --files | wc -l
rg -l "TODO|FIXME" src
rg -uu -i "api" --type ts -A 2
find . -name '*.test.ts' -not -path '*/node_modules/*'
find src -type f -name "*.ts" | head -50
find . -maxdepth 2 -type d | sort
find . -name package.json -not -path "*/node_modules/*" -exec grep -l react {} +
find src -name '*.ts' -exec wc -l {} + | sort -n | tail
find src -name '*.ts' | xargs wc -l
find src -name '*.ts' -print0 | xargs -0 grep -l "import"
find . -newer package.json -type f | head
find . -type f -size +100k -not -path './.git/*'
git ls-files | xargs wc -l | tail -1
rg -l "foo" src | xargs sed -n 1,5p
ls src | xargs -I{} echo "src/{}"
for f in src/a.ts src/b.ts; do head -5 "$f"; done
for f in src/*.ts; do echo "== $f"; head -3 "$f"; done
for d in packages/*/; do echo "$d"; ls "$d"; done
for i in 1 2 3; do echo $i; done
find src -name '*.ts' | while read f; do wc -l "$f"; done
while read -r line; do echo "$line"; done < notes.txt
awk -F/ '{print $2}' paths.txt
awk '{print $1}' access.log | sort | uniq -c
awk 'NR>=10 && NR<=20' src/index.ts
awk -F: '{sum += $2} END {print sum}' data.txt
awk '/^## /{print NR": "$0}' README.md
cut -d/ -f2 paths.txt
cut -d',' -f1-3 data.csv | head
ls packages | tr '\\n' ' '
wc -l src/*.ts | sort -n | tail -5
wc -l src/index.ts README.md
du -sh node_modules
du -sh * | sort -h
df -h .
diff -u a.json b.json
diff <(sort a.txt) <(sort b.txt)
diff -rq src dist | head
file dist/cli.js
stat -c '%s %y' package.json
test -f tsconfig.json && cat tsconfig.json
[ -d dist ] && ls dist || echo "no dist"
if [ -f .nvmrc ]; then cat .nvmrc; fi
tree -L 2 -I node_modules
which node npm && node --version && npm --version
node -v; npm -v
python3 --version
command -v jq >/dev/null && echo yes
uname -a
date
date +%Y-%m-%d
echo "Node: $(node -v)"
echo $PATH | tr ':' '\\n'
nproc && free -h
ps aux | grep node | head
jq '.dependencies | keys' package.json
jq -r '.scripts | to_entries[] | "\\(.key): \\(.value)"' package.json
jq .name packages/*/package.json
md5sum dist/*.js
xxd -l 64 logo.png
od -c src/a.bin | head -5
basename "$PWD"
realpath src/index.ts
ls -la | tee /dev/null
cat package.json 2>/dev/null || echo none
sed -n '120,180p' packages/engine/src/index.ts; grep -n "evolve" packages/engine/src/index.ts
git status
git status --short && git diff --stat
git diff
git diff HEAD~1 -- src/index.ts
git log --oneline -10
git log -p -3 -- src/index.ts
git show HEAD --stat
git show HEAD:package.json | jq .version
git blame -L 10,20 src/index.ts
git branch -a
git -C packages/core log --oneline -3
git rev-parse --show-toplevel
git remote -v
git ls-files src | head
git stash list
`
  .trim()
  .split('\n');
