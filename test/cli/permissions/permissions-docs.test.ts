import { readFile } from 'node:fs/promises'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { runGateCheck } from '../../../src/cli/gate/gate-check.ts'
import { readToml } from '../../../src/config/read-toml.ts'
import { parsePermissions } from '../../../src/rules/gate/permissions/parse-permissions.ts'

const readPage = (name: string) =>
  readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')

const cookbook = await readPage('how-to/rules-cookbook.md')
const pages = [
  cookbook,
  await readPage('how-to/write-rules.md'),
  await readPage('how-to/approve.md'),
  await readPage('reference/permissions.md'),
]

interface Wish {
  readonly name: string
  /** The last of several blocks is what the answers are about. */
  readonly rules: string
  readonly operator: unknown
  readonly calls: readonly {
    readonly tool: string
    readonly call: string
    readonly answer: string
  }[]
}

function blocks(section: string, language: string): readonly string[] {
  const found = section.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))
  return [...found].map(([, block = '']) => block)
}

function readWishes(): readonly Wish[] {
  return cookbook.split('\n## ').slice(1).map(toWish)
}

function toWish(section: string): Wish {
  const rows = section.matchAll(/^\| (\w+) \| `(.*)` \| (\w+) \|$/gm)
  const toml = readToml(Buffer.from(blocks(section, 'toml')[0] ?? ''), 'docs')
  const tools: unknown = toml.kind === 'ok' ? toml.tree['tools'] : undefined
  const isSet = typeof tools === 'object' && tools !== null && 'permissions' in tools
  return {
    name: section.split('\n')[0] ?? '',
    rules: blocks(section, 'jsonc').at(-1) ?? '',
    operator: isSet ? tools.permissions : undefined,
    calls: [...rows].map(([, tool = '', call = '', answer = '']) => {
      return { tool, call: call.replaceAll('\\|', '|'), answer }
    }),
  }
}

/** JSON text, as a call of a server's tool stands in the docs. */
function argumentsOf(tool: string, call: string): string {
  if (tool.startsWith('mcp__')) return call
  if (tool === 'bash') return JSON.stringify({ command: call })
  if (tool === 'fetch') return JSON.stringify({ url: call })
  return JSON.stringify(tool === 'write' ? { path: call, content: '' } : { path: call })
}

/** `gate check` reads one call a line, so comments of the rules, which end with the line, are removed. */
async function check({ rules, operator, calls }: Wish): Promise<readonly string[]> {
  const permissions = rules.replaceAll(/\s\/\/ .*$/gm, '').replaceAll('\n', ' ')
  const lines = calls.map(({ tool, call }) => {
    const asked = JSON.stringify({ tool, operator }).slice(0, -1)
    return `${asked},"arguments":${argumentsOf(tool, call)},"permissions":${permissions}}`
  })
  const output = new PassThrough()
  const written = text(output)
  expect(await runGateCheck(Readable.from([lines.join('\n')]), output)).toBe(0)
  output.end()
  const answers = (await written).split('\n').filter(Boolean)
  return answers.map((line) => JSON.parse(line).action)
}

const wishes = readWishes()

describe('the pages on permissions', () => {
  test('CLI-01 the cookbook holds at least ten recipes, each with calls that show their effect', () => {
    expect(wishes.length).toBeGreaterThanOrEqual(10)
    for (const { name, calls } of wishes) expect(calls.length, name).toBeGreaterThan(2)
  })

  test.each(wishes)(
    'CLI-01 GATE-02 what the docs say of “$name” is what the gate says',
    async (wish) => {
      expect(await check(wish)).toEqual(wish.calls.map(({ answer }) => answer))
    },
  )

  test('GATE-04 every rules file in it is valid', () => {
    const files = pages
      .flatMap((page) => blocks(page, 'jsonc'))
      .filter((block) => block.trimStart().startsWith('{'))
    expect(files.length).toBeGreaterThan(12)
    for (const file of files) {
      expect(parsePermissions(file, { home: '/workspace' }), file).toMatchObject({ kind: 'rules' })
    }
  })
})
