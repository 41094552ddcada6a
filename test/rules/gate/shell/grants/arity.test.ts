import { describe, expect, test } from 'vitest'
import { arityOf, knownPrograms } from '../../../../../src/rules/gate/shell/grants/arity.ts'
import { judgeBash } from '../../support/judge-with.ts'

function offered(command: string): readonly string[] {
  return judgeBash(command).alwaysPatterns
}

describe('how many words make up a command', () => {
  test('SHELL-08 the table knows at least 120 programs', () => {
    expect(knownPrograms.size).toBeGreaterThanOrEqual(120)
  })

  const one =
    'cat ls grep rm cp mv mkdir chmod echo which tail head touch pwd wc whoami date uname env printenv cd find sed awk ' +
    'sort uniq cut tr tee xargs diff curl wget tar zip unzip ssh scp rsync dd shutdown reboot mkfs sh bash zsh'
  const two = 'git npm bun docker cargo kubectl pip pnpm yarn terraform systemctl bunx'
  const three = 'npm run,bun run,docker compose,git remote,git stash,aws s3,gcloud compute,gh pr'

  test.each(one.split(' ').filter((name) => name !== 'rm'))('SHELL-08 %s is one word', (name) => {
    expect(arityOf([name, 'x', 'y'])).toBe(1)
  })

  test.each(two.split(' '))('SHELL-08 %s takes a subcommand', (name) => {
    expect(arityOf([name, 'x', 'y'])).toBe(2)
  })

  test.each(three.split(','))('SHELL-08 %s takes one word more', (names) => {
    expect(arityOf([...names.split(' '), 'x'])).toBe(3)
  })
})

describe('what *Always* offers by the table', () => {
  test.each([
    ['npm run build --if-present', 'npm run build *'],
    ['pnpm run build --silent', 'pnpm run build *'],
    ['bun run dev --silent', 'bun run dev *'],
    ['make test -j4', 'make test *'],
    ['docker compose logs web', 'docker compose logs *'],
    ['docker ps -a', 'docker ps *'],
    ['git remote add x https://a.example', 'git remote add *'],
    ['aws s3 ls b', 'aws s3 ls *'],
    ['gh pr view 1', 'gh pr view *'],
    ['cargo test -q', 'cargo test *'],
    ['go test ./...', 'go test *'],
    ['kubectl rollout status x', 'kubectl rollout status *'],
    ['terraform workspace list -x', 'terraform workspace list *'],
    ['systemctl status nginx', 'systemctl status *'],
    ['wc -l x', 'wc *'],
    ['shellcheck x', 'shellcheck *'],
  ])('SHELL-08 %j offers %j', (command, pattern) => {
    expect(offered(command)).toEqual([pattern])
  })

  test.each([
    ...'sudo id,env A=1 id,xargs rm,timeout 5 id,ssh host id,nohup id,watch id,strace id,busybox id'.split(
      ',',
    ),
    ...'sh x.sh,bash x.sh,zsh x.sh,fish x,python x.py,node x.js,perl x,ruby x,php x,lua x,java -jar x'.split(
      ',',
    ),
    ...'deno run x,R -e x,tsx x.ts,rm x,dd if=a of=b,shred x,mkfs x,mkfs.ext4 x,shutdown now,reboot now'.split(
      ',',
    ),
    ...'kill 1,truncate -s 0 x,chown a b,npx tsc -x,bunx x y,pnpx x y,uvx x y,npm exec tsc x'.split(
      ',',
    ),
    ...'npm x tsc y,pnpm exec tsc y,pnpm dlx x y,yarn dlx x y,yarn exec x y,bun x y z,uv run x y'.split(
      ',',
    ),
    ...'poetry run x y,pipx run x y,bundle exec x y,docker run x y,docker exec x y,podman run x y'.split(
      ',',
    ),
    ...'docker compose exec a b,docker compose run a b,kubectl exec a -- b,kubectl run a --image=b'.split(
      ',',
    ),
    ...'go run a@b,go tool x y,nix run x,find . -exec id ;,git -c a=b log,python -m timeit x,mise exec x'.split(
      ',',
    ),
  ])('SHELL-08 %j offers nothing with a wildcard', (command) => {
    for (const pattern of offered(command)) expect(pattern).not.toMatch(/(?<!\\)[*?]/)
  })
})
