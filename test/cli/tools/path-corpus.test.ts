import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { requirement } from '../../support/run/requirements.ts'
import { runProgram } from '../run-program.ts'
import { around, layOut } from './path-corpus/lay-out.ts'
import { parseTable } from './path-corpus/parse-table.ts'
import { changing, looking, withRules } from './path-corpus/tables.ts'

/** Runs a table in one process and returns every case with an unexpected result. */
async function failuresOf(table: string, options: (root: string) => readonly string[]) {
  await using directory = await temporaryDirectory()
  const root = directory.path
  // Root's boxes of the process driver run as another user, who needs access.
  await chmod(root, 0o755)
  layOut(root)
  const before = around(root)
  const cases = parseTable(table, root)
  const { exitCode, stdout, stderr } = await runProgram(
    ['tools', 'run', '--workspace', join(root, 'ws'), ...options(root)],
    {
      cwd: root,
      input: cases.map((each, id) => JSON.stringify({ id, ...toCall(each) })).join('\n'),
    },
  )
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).not.toContain('the secret')
  expect(around(root)).toEqual(before)
  const answers = stdout.split('\n').filter(Boolean)
  expect(answers.length).toBe(cases.length)
  return cases.flatMap((each, at) => {
    const { ok, output, error } = JSON.parse(answers[at] ?? '{}')
    const text: string = ok ? output : error.message
    const isRight = (ok ? 'ok' : error.category) === each.expected
    const holds = each.holds?.replace('WS', join(root, 'ws'))
    if (isRight && (holds === undefined || text.includes(holds))) return []
    return [{ ...each, got: ok ? 'ok' : error.category, text: text.slice(0, 300) }]
  })
}

function toCall({ tool, arguments: given }: { tool: string; arguments: object }) {
  return { tool, arguments: given }
}

const rules = (root: string) => [
  ...['--allowed', join(root, 'second'), '--allow-read', join(root, 'ref/**')],
  ...['private/public/**', '--deny-read', '*.env', 'private/**'],
]

const drivers = { bubblewrap: requirement.bubblewrap, process: test } as const
for (const [driver, define] of Object.entries(drivers)) {
  define(
    `FILE-01 FILE-02 FILE-04 FILE-07 FILE-08 whatever a path is, ${driver}: looking`,
    async () => {
      expect(await failuresOf(looking, () => ['--driver', driver])).toEqual([])
    },
  )

  define(`FILE-01 FILE-03 FILE-05 FILE-06 whatever a path is, ${driver}: changing`, async () => {
    expect(await failuresOf(changing, () => ['--driver', driver])).toEqual([])
  })

  define(
    `FILE-02 whatever a path is, ${driver}: with read rules and more directories`,
    async () => {
      const options = (root: string) => ['--driver', driver, ...rules(root)]
      expect(await failuresOf(withRules, options)).toEqual([])
    },
  )
}
