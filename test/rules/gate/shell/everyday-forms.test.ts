// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are commands of a shell.
import { expect, test } from 'vitest'
import { evaluateCall } from '../../../../src/rules/gate/gate.ts'
import { listingsOf } from '../../../../src/rules/gate/paths/judged-paths.ts'
import { factsOf, specOf } from '../support/judge-with.ts'

const read = {
  ...{ '*': 'allow', '*.env': 'deny', '*.env.*': 'deny', '*secret*': 'deny' },
  ...{ '*.env.example': 'allow', '*.key': 'deny' },
} as const
const write = { '*': 'allow', '*.env': 'deny' } as const
const facts = factsOf({ permissions: { bash: { '*': 'allow' }, read, write } })
const spec = specOf('bash')

/** Commands, one a line, or apart by the sign `¦`, which all run silently or all do not. */
function expectAll(text: string, isSilent: boolean, least: number): void {
  const commands = text
    .trim()
    .split(text.includes('¦') ? '¦' : '\n')
    .map((command) => command.trim())
  expect(commands.length).toBeGreaterThanOrEqual(least)
  const wrong = commands.filter((command) => {
    const { action } = evaluateCall({ spec, args: { command } }, facts)
    return (action === 'allow') !== isSilent
  })
  expect(wrong).toEqual([])
}

const silent = (text: string) => expectAll(text, true, 4)
const asks = (text: string) => expectAll(text, false, 10)

test('SHELL-12 SHELL-10 what a substitution gives is known by its command: objects, or names that the box checks', () => {
  silent(String.raw`
    docker inspect --format='{{.State.Health.Status}}' $(docker ps -q)
    docker inspect $(docker ps -q)
    git diff --stat $(git merge-base main HEAD)
    git diff --name-only $(git merge-base origin/main HEAD)..HEAD
    git log --oneline $(git merge-base main HEAD)..HEAD
    git show $(git rev-parse HEAD)
    git show "$(git rev-parse HEAD~2)" --stat
    kubectl logs $(kubectl get pods -l app=web -o name) --tail=20
    kubectl describe pod $(kubectl get pods -l app=web -o jsonpath='{.items[0].metadata.name}')
    wc -l $(git ls-files '*.ts')
    cat $(git ls-files src | head -3)
    grep -n TODO $(git ls-files '*.py')
    npx eslint $(git diff --name-only main -- '*.ts')
    npx prettier --check $(git diff --name-only)
    head -5 "$(ls *.csv | head -1)"
    go list ./... | grep -v vendor | xargs go vet
    go test $(go list ./... | grep -v e2e)
    git diff --name-only HEAD~1 | grep '\.go$' | xargs gofmt -l
    kubectl get ns --no-headers | awk '{print $1}' | xargs -I{} kubectl get quota -n {}
    ls -la $(find . -name '*.log')
    du -sh $(ls)
    ruff check $(git ls-files '*.py')
    pytest $(git diff --name-only main -- 'tests/*.py')
    sed -n 1,5p $(git ls-files '*.md')
    git add $(git ls-files -m)`)
  asks(`
    rm -rf $(git ls-files)
    rm $(docker ps -q)
    docker exec $(docker ps -q) web rm -rf /
    docker rm -f $(docker ps -aq)
    docker run $(docker images -q) sh
    git $(git rev-parse HEAD) push
    git push origin $(git rev-parse HEAD)
    git checkout $(git rev-parse --abbrev-ref HEAD)
    git diff $(git describe --tags) --output=x
    git diff $(cat names.txt)
    git diff --output $(git rev-parse HEAD)
    cat $(cat files.txt)
    cat $(find . -name '.e*')
    cat $(find / -name passwd)
    cat $(find .. -name x)
    cat $(ls | grep env)
    cat "$(ls)"
    cat "$(find . -name '*.ts')"
    kubectl logs $(kubectl get pods)
    kubectl delete $(kubectl get pods -o name)
    kubectl get -f $(kubectl get pods -o name)
    kubectl exec $(kubectl get pod -o name) rm x
    kubectl exec web -- $(kubectl get pod -o name)
    docker inspect $(docker ps)
    docker inspect $(docker ps --format '{{.Command}}')
    docker inspect $(docker ps --filter 'name=x -q')
    docker inspect $(curl -s http://x/ids)
    sh $(git ls-files '*.sh')
    python3 $(git ls-files '*.py')
    node $(ls *.js)
    sudo cat $(git ls-files)
    xargs cat $(git ls-files)
    curl -d @$(ls) http://x
    curl $(git ls-files)
    npx $(git ls-files)
    npm run gen && cat $(git ls-files)
    sed -i s/a/b/ $(git ls-files)
    find $(git ls-files) -delete
    go run $(go list ./...)
    go test -exec $(go list ./...)
    go build -o $(go list ./...)
    go list ./... | xargs go run
    git ls-files | xargs gofmt -w
    wc -l < $(git ls-files)
    wc -l > $(git ls-files)
    $(git ls-files) x
    cat $(git ls-files; rm x)
    cat $(git ls-files &)
    cat $(git ls-files | tee x)
    cat $(git ls-files > x)
    cat $(GIT_DIR=x git ls-files)
    cat $(./git ls-files)
    cat src/$(git ls-files)
    cat -$(git ls-files)
    cat $(git ls-files)/.env
    tar xf $(ls *.tar)
    cp $(git ls-files) .git/hooks/
    tee $(ls)
    make $(ls)
    ssh $(ls)
    psql -f $(ls *.sql)`)
})

test('SHELL-12 SHELL-10 a variable of a loop or an assignment is what its command gives', () => {
  silent(`
    for f in data/raw/*.csv; do echo "$f $(wc -l < "$f")"; done
    for c in crates/*; do echo "$c: $(find "$c" -name '*.rs' | wc -l)"; done
    while read -r f; do wc -l "$f"; done < files.txt
    git ls-files | while read -r f; do wc -l "$f"; done
    git diff --name-only | while IFS= read -r f; do head -5 "$f"; done
    for f in $(git ls-files '*.ts'); do head -5 "$f"; done
    for pod in $(kubectl get pods -o name); do kubectl logs "$pod" --tail=2; done
    for pod in $(kubectl get pods -o name); do kubectl logs $pod --tail=2; done
    BASE=$(git merge-base main HEAD); git diff --stat $BASE
    BASE=$(git merge-base main HEAD) && git diff --stat "$BASE"..HEAD
    POD=$(kubectl get pod -l app=web -o jsonpath='{.items[0].metadata.name}'); echo "$POD"; kubectl logs "$POD"
    F=$(ls *.csv | head -1); head -5 "$F"
    for m in $(go list ./... | head -3); do go test "$m"; done
    docker ps -q | while read -r id; do docker inspect "$id"; done
    for id in $(docker ps -q); do docker logs --tail 5 $id; done
    find . -name '*.md' | while read -r f; do echo "== $f"; wc -l "$f"; done
    for d in packages/*/; do ls "$d"src; done
    for d in packages/*; do ls "$d/src"; done
    for f in config/*; do cat $f; done
    for d in */; do echo $d; ls ./$d; done
    for f in $(git ls-files); do cat $f; done
    while read -r h; do dig +short "$h"; done < hosts.txt
    for f in *.json; do jq . "$f" > /dev/null && echo ok; done`)
  asks(String.raw`
    for f in *.sh; do sh "$f"; done
    for f in .e*; do cat "$f"; done
    for f in config/*; do cat "$f"/../.env; done
    for f in config/*; do touch "$f"/.envrc; done
    for f in config/*; do cat "$f"x; done
    for f in config/*; do wc -l > "$f"; done
    for f in config/*; do cat < "$f" > "$f.out"; done
    for f in p*env; do wc -l < "$f"; done
    wc -l < .e*
    wc -l < ../*.csv
    wc -l < /etc/p*
    wc -l > *.csv
    wc -l <> *.csv
    sh < *.sh
    python3 < *.py
    bash < scripts/*.sh
    for f in config/*; do f=.env; cat "$f"; done
    for f in config/*; do read -r f; cat "$f"; done
    for d in packages/*; do find "$d" -delete; done
    for d in *; do find "$d" -name x; done
    for d in packages/*; do find . "$d" -exec sh {} +; done
    for f in $(cat names.txt | sed s/a/b/); do cat "$f"; done
    for f in $(git ls-files); do rm "$f"; done
    for f in $(git ls-files); do sh "$f"; done
    for f in $(git ls-files); do cat "$f" > "$f.bak"; done
    for f in $(git ls-files) /etc/passwd; do cat "$f"; done
    for f in $(find / -name passwd); do cat "$f"; done
    for f in $(curl -s http://x); do cat "$f"; done
    for PATH in $(git ls-files); do ls "$PATH"; done
    for m in $(go list ./...); do go run "$m"; done
    for m in $(go list ./...); do go test -exec "$m"; done
    for id in $(docker ps -q); do docker exec $id sh; done
    for id in $(docker ps -q); do docker rm "$id"; done
    for p in $(kubectl get pods -o name); do kubectl delete "$p"; done
    for p in $(kubectl get pods); do kubectl logs "$p"; done
    while read -r f; do rm "$f"; done < files.txt
    while read -r f; do sh "$f"; done < files.txt
    while read -r f; do npx eslint "$f"; done < files.txt
    while read -r f; do cat $f; done < files.txt
    while read -r f; do cat "$f"; done < /etc/names
    while read -r f; do cat "$f"; done < .env
    while read -r u; do curl "$u"; done < urls.txt
    while read -r u; do ping "$u"; done < urls.txt
    while read -r h; do dig -f "$h"; done < hosts.txt
    while read -r h; do dig +short $h; done < hosts.txt
    for f in .*; do cat $f; done
    for f in *; do cat $f.bak; done
    for f in $(cat list); do rm $f; done
    for f in *; do $f; done
    while read -r f; do cat "$f"; done
    while read -r f g; do cat "$f"; done < files.txt
    while read f; do cat "$f"; done < files.txt
    while read -r PATH; do cat "$PATH"; done < files.txt
    while IFS=x read -r f; do cat "$f"; done < files.txt
    while read -r f; do f=.env; cat "$f"; done < files.txt
    echo .env > n.txt; while read -r f; do cat "$f"; done < n.txt
    while read -r f; do cat "$f"; echo .env > n.txt; done < n.txt
    printf '.env\n' | while read -r f; do cat "$f"; done
    ls | sed 's/.*/.env/' | while read -r f; do cat "$f"; done
    curl -s http://x | while read -r f; do cat "$f"; done
    find . -name '.e*' | while read -r f; do cat "$f"; done
    mv .env x; git ls-files | while read -r f; do cat "$f"; done
    git ls-files | while read -r f; do sed -i s/a/b/ "$f"; done
    git ls-files | while read -r f; do git log --output="$f"; done
    git ls-files | while read -r f; do python3 "$f"; done
    git ls-files | while read -r f; do "$f"; done
    F=$(ls *.csv | head -1); sh "$F"
    F=$(ls *.csv); cat "$F"
    F=$(cat names.txt); cat "$F"
    F=$(git ls-files | head -1); F=.env; cat "$F"
    F=$(git ls-files | head -1); rm "$F"
    F=$(git ls-files | head -1); echo x > "$F"
    F=$(git ls-files | head -1); $F
    GIT_DIR=$(git ls-files | head -1); cat x
    PATH=$(git ls-files | head -1); cat x
    B=$(git merge-base main HEAD); git push origin "$B"
    B=$(git merge-base main HEAD); git $B
    B=$(git symbolic-ref HEAD); git diff $B
    IFS= ls
    IFS=x; cat $(git ls-files)
    IFS= cat $(git ls-files)`)
})

test('SHELL-10 SHELL-04 names are used where, and while, they are what the box saw', () => {
  silent(`
    BASE=$(git merge-base main HEAD) && git diff $BASE..HEAD --stat
    cd web && F=$(ls *.csv | head -1) && head "$F"
    for f in *.ts; do wc -l "$f"; done; for f in *.js; do wc -l "$f"; done
    for d in a b; do (cd $d && git status); done
    echo x > out.txt; cat $(git ls-files)
    git add -A && git diff --cached --stat
    kubectl get nodes --no-headers | awk '{print $1}' | xargs -I{} kubectl describe node {}`)
  asks(`
    F=$(ls | head -1); cd sub && cat "$F"
    F=$(git ls-files | head -1); (cd sub; cat "$F")
    F=$(ls *.csv | head -1); pushd data; head -5 "$F"
    F=$(ls | head -1); if cd sub; then cat "$F"; fi
    for f in a/*; do (cd sub && cat "$f"); done
    F=$(ls | head -1); for F in .e; do echo hi; done; cat "$F"
    F=a.txt; for F in b.txt; do echo hi; done; cat "$F"
    for f in $(git ls-files); do for f in b.txt; do :; done; cat "$f"; done
    git ls-files | while read -r f; do for f in b.txt; do echo; done; cat "$f"; done
    git add -A && cat $(git ls-files)
    git add . && git ls-files | xargs cat
    git --no-pager add x; git ls-files | while read -r f; do cat "$f"; done
    git add -A && git grep -l x | xargs cat
    echo zz >> prod.key; cat $(grep -rl zz .)
    echo zz >> mysecret.txt; cat $(git diff --name-only)
    cd a; echo zz >> mysecret.txt; git diff --name-only | xargs cat
    git diff --no-index src $(git rev-list -n 0 main)..
    git diff --no-index src $(git rev-list -n 0 main)...
    cat $(ls)..
    kubectl get clusterrole $(kubectl get clusterroles -o jsonpath='{.items[*].metadata.name}')
    kubectl get csr --no-headers | awk '{print $1}' | xargs kubectl describe csr`)
})

test('SHELL-10 SHELL-12 names that a listing gives without a directory may be targets, packages or services', () => {
  silent(String.raw`
    npx eslint $(git diff --name-only)
    npx vitest run $(git diff --name-only -- '*.ts')
    pre-commit run --files $(git diff --name-only)
    go vet $(git ls-files '*.go')
    node --test $(git ls-files '*.js')
    npm run lint -- $(git diff --name-only | grep '\.ts$')
    npm test -- $(git ls-files src)
    pip install dist/*.whl
    npm install ./pkg-*.tgz`)
  asks(`
    make all $(ls)
    make test $(git ls-files)
    just build $(git diff --name-only)
    gradle build $(ls)
    npm install $(ls)
    npm install $(git ls-files '*.js')
    npm install packages/*
    pnpm add $(git ls-files)
    pip install $(ls)
    cargo install $(ls)
    terraform apply $(ls)
    systemctl restart $(ls)
    aws $(ls)
    biome $(ls)
    docker compose up $(ls)
    kubectl get $(git ls-files)`)
})

test('SHELL-12 SHELL-07 rules that name what a substitution may give are asked', () => {
  const ask = (pattern: string, command: string) => {
    const bash = { '*': 'allow', [pattern]: 'deny' } as const
    const given = factsOf({ permissions: { bash, read, write } })
    return evaluateCall({ spec, args: { command } }, given).action
  }
  const logs = 'kubectl logs $(kubectl get pods -o name)'
  expect(ask('kubectl logs pod/prod*', logs)).toBe('ask')
  expect(ask('* prod*', 'for p in $(kubectl get pods -o name); do kubectl logs "$p"; done')).toBe(
    'ask',
  )
  expect(ask('wc *main*', 'wc -l $(git ls-files)')).toBe('ask')
  expect(ask('wc *main*', 'git ls-files | while read -r f; do wc -l "$f"; done')).toBe('ask')
  expect(ask('docker *', 'X=$(docker ps -q); ls')).toBe('deny')
  expect(ask('docker *', logs)).toBe('allow')
  const asking = { '*': 'allow', 'data/p*': 'ask' } as const
  const given = factsOf({ permissions: { bash: { '*': 'allow' }, read: asking, write } })
  const command = 'for f in data/*.csv; do wc -l < "$f"; done'
  expect(evaluateCall({ spec, args: { command } }, given).action).toBe('ask')
})

test('SHELL-12 SHELL-04 the box looks at the words that bash makes, and at the lines that a loop reads', () => {
  const boxed = (command: string) => listingsOf({ spec, args: { command } }, facts)
  const directory = facts.workspace
  expect(boxed("head -3 $(git ls-files '*.ts' | sort | head -9)")).toEqual([
    { text: String.raw`printf '%s\0' $(git ls-files '*.ts')`, directory, isNul: true },
  ])
  expect(boxed('npx eslint $(git diff --name-only)')).toEqual([
    {
      ...{ text: String.raw`printf '%s\0' $(git diff --name-only)`, directory },
      ...{ isNul: true, mayWrite: true },
    },
  ])
  const lines = { text: 'git ls-files', directory }
  expect(boxed('git ls-files | while read -r f; do wc -l "$f"; done')).toEqual([lines])
  const named = { text: 'cat a.txt', directory }
  expect(boxed('while read -r f; do wc -l "$f"; done < a.txt')).toEqual([named])
  expect(boxed('for f in a/*.csv; do wc -l < "$f"; done')).toEqual([
    { text: String.raw`printf '%s\0' a/*.csv`, directory, isNul: true },
  ])
})

test('SHELL-12 SHELL-05 SHELL-10 variables by their values, words that are no paths, counts in sums, readers over names', () => {
  silent(String.raw`
    git blame -L '/export function/,+10' src/server.ts
    find . -maxdepth 2 -name package.json -not -path './node_modules/*' -exec jq -r .name {} \;
    find data -name "*.json" | xargs -I{} jq .name {}
    kubectl get deploy -n prod -o custom-columns=NAME:.metadata.name,IMG:.spec.template.spec.containers[*].image
    kubectl auth can-i list secrets -n prod
    curl -s localhost:9200/_cat/indices?v
    less +G logs/app.log
    uname -a && cat /proc/loadavg
    buf breaking --against '.git#branch=main'
    hyperfine --version
    time -p wc -l *
    find . -name '*_test.go' | xargs wc -l | tail -1
    N=$(wc -l < data/train.csv); echo $((N - 1))
    GOFLAGS=-mod=mod go build ./...
    RUSTFLAGS="-D warnings" cargo check
    RUSTFLAGS="-C opt-level=3" cargo build --release`)
  asks(String.raw`
    GOFLAGS=-toolexec=./x go build ./...
    GOFLAGS="-mod=mod -exec=./x" go test ./...
    GOFLAGS=-overlay=x.json go build
    RUSTFLAGS="-C linker=./x" cargo build
    RUSTFLAGS="-D warnings -C linker=./x" cargo build
    RUSTFLAGS="-C link-arg=-Wl,x" cargo build
    RUSTFLAGS=-Zx cargo build
    PYTHONPATH=. pytest
    PYTHONPATH=. black src
    PYTHONPATH=. ls
    PYTHONPATH=/tmp python a.py
    PYTHONPATH=../x python a.py
    PYTHONPATH=.git python a.py
    PYTHONPATH=. python -c 'x'
    PYTHONPATH=. python -m pip list
    PYTHONPATH=.:/tmp pytest
    PYTHONSTARTUP=x python a.py
    GOFLAGS=$X go build
    N=$(cat f); echo $((N - 1))
    N=$(cat f \| wc -l); echo $((N - 1))
    N=$(cat f; wc -l < f); echo $((N - 1))
    N=$(cat f || wc -l); echo $((N - 1))
    N=$(wc -l f); echo $((N - 1))
    N=$(wc -l < f); N=x; echo $((N - 1))
    N=$(wc -l < f); echo $((M[N]))
    less +!id f
    less '+!id' f
    less +/x f
    less -o x f
    git blame -L '/etc/passwd:x' src/a.ts
    git log -L 1,5:.env
    git blame -L 1,5 .env
    git diff -L /etc/passwd
    cat /proc/self/environ
    cat /proc/1/environ
    cat /proc/cpuinfo/../1/environ
    kubectl get secrets -o custom-columns-file=.npmrc
    kubectl get pods -o go-template-file=x*
    kubectl apply -f *
    kubectl delete secret x
    buf breaking --against .git
    buf generate --template '.git#branch=x'
    hyperfine --version 'rm x'
    hyperfine ls
    xargs --version rm
    sudo --version ls
    env --help sh
    time -p sh x
    find . -name '*.json' -exec jq -f x {} \;
    find . -name '.e*' -exec jq . {} \;
    find . -name '*.json' -exec sed -i s/a/b/ {} \;
    find . -name '*secret.ts' | xargs cat
    find . -name '*.json' | xargs -I{} jq -f {} x
    find . -exec jq {} x \;
    curl evil:9200/x?y
    curl localhost.evil:9200/x?y
    cat .e?v
    ls localhost:80/.e?v`)
})

test('SHELL-10 SHELL-12 what bc computes and where xmllint looks are values; other calculators and options ask', () => {
  asks(`
    echo '!id' | dc
    echo '2^10' | bc .env
    echo '2^10' | bc /etc/passwd
    echo '2^10' | ./bc
    xmllint --xpath '//a' /etc/passwd
    xmllint --xpath '//a' .env
    xmllint --output .git/hooks/pre-commit a.xml
    xmllint --shell a.xml
    xmllint //etc/passwd
    xmllint --xpath a //etc/passwd`)
})
