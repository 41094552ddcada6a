// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are commands of a shell.
import { expect, test } from 'vitest'
import { evaluateCall } from '../../../../src/rules/gate/gate.ts'
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

test('SHELL-12 SHELL-03 a line that goes on between two words is one command; anywhere else it asks', () => {
  silent(String.raw`
    python scripts/train.py \
      --data data/train.csv \
      --epochs 5
    ¦ go test ./... -coverprofile=cover.out \
      && go tool cover -func=cover.out \
      | grep total
    ¦ curl -s \
-H "Accept: application/json" \
http://localhost:3000/health
    ¦ echo "$(ls \
      src)"
    ¦ for f in a b; do \
      echo "$f"; \
    done`)
  asks(String.raw`
    git log --one\
line
    ¦ ls $\
HOME
    ¦ ls $\
(rm x)
    ¦ ls a;\
rm x
    ¦ ls \
"a b"
    ¦ ls a \
| cat
    ¦ ls # x \
      rm x
    ¦ ls \
      # a comment \
      -l
    ¦ ls "a \
      b"
    ¦ cat <<EOF \
      x
EOF
    ¦ ls \

      rm x
    ¦ rm\
      x
    ¦ ls\
    ¦ wc \
      .env
    ¦ sh \
      -c ls
    ¦ ls \
      /etc/passwd`)
})
