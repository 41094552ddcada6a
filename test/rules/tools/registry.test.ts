import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { toolJsonSchema } from '../../../src/rules/tools/json-schema.ts'
import {
  allTools,
  builtinTools,
  createRegistry,
  findTool,
  nearestTools,
} from '../../../src/rules/tools/registry.ts'
import type { ToolSpec } from '../../../src/rules/tools/tool-spec.ts'

test('REG-01 each tool derives a closed JSON Schema with a description for every field', () => {
  for (const tool of builtinTools) {
    const schema = toolJsonSchema(tool)
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false })
    const fields = z.record(z.string(), z.object({ description: z.string().min(10) }))
    expect(Object.keys(fields.parse(schema['properties']))).toEqual(Object.keys(tool.schema.shape))
    expect(tool.description.length).toBeGreaterThan(60)
    expect(tool.timeoutMs).toBeGreaterThan(0)
  }
})

test('REG-01 the derived schema is made once and names what is required', () => {
  const read = builtinTools.find((tool) => tool.name === 'read')
  if (read === undefined) throw new Error('read is missing')
  expect(toolJsonSchema(read)).toBe(toolJsonSchema(read))
  expect(toolJsonSchema(read)['required']).toEqual(['path'])
  expect(toolJsonSchema(read)).not.toHaveProperty('$schema')
})

test('REG-02 kinds follow the table', () => {
  const kinds = Object.fromEntries(builtinTools.map((tool) => [tool.name, tool.kind]))
  expect(kinds).toEqual({
    bash: 'execute',
    read: 'read',
    write: 'edit',
    edit: 'edit',
    create_directory: 'edit',
    delete_path: 'edit',
    move_path: 'edit',
    copy_path: 'edit',
    list_directory: 'search',
    find_path: 'search',
    grep: 'search',
    diagnostics: 'other',
    fetch: 'fetch',
    web_scrape: 'fetch',
    read_overflow: 'other',
    tool_search: 'other',
  })
})

test('REG-01 only tools that change nothing are cacheable, and bash is never run twice', () => {
  for (const tool of builtinTools) {
    if (tool.cacheable) expect([tool.idempotent, tool.mutating]).toEqual([true, false])
  }
  expect(findTool('bash')).toMatchObject({ idempotent: false, mutating: true, timeoutMs: 30_000 })
})

test('GATE-06 rules are matched against arguments that each call has, or start-up stops', () => {
  const read = findTool('read')
  if (read === undefined) throw new Error('read is missing')
  const ruled = (change: Partial<ToolSpec>) => () => createRegistry([{ ...read, ...change }])
  expect(ruled({})).not.toThrow()
  expect(ruled({ paths: [] })).toThrow('"read" is ruled by its paths, and names none')
  expect(ruled({ paths: [{ argument: 'pat', use: 'read' }] })).toThrow('has no argument pat')
  expect(ruled({ ruledBy: { kind: 'url', argument: 'url' } })).toThrow('has no argument url')
})

/** Beside its own spec and the table of executors; why each of these names a tool. */
const mayName: Readonly<Record<string, RegExp>> = {
  'what a person or an operator reads and may change': /default-permissions\.ts$/,
  'the offline model calls tools as any model does': /adapters\/model\/offline\//,
  'commands are ruled as those of bash, and files as those of read and write': /^rules\/gate\//,
  'a probe of a box runs a command in it': /probe-driver\.ts$/,
  'a command line that is given to no tool is for bash': /^cli\/gate\//,
  'how each tool of the box is carried out': /^executor\/run-call\.ts$/,
  'its own spec': /^rules\/tools\//,
}

test('REG-01 no file but these asks for a tool by its name', async () => {
  const src = join(import.meta.dirname, '../../../src')
  // These are words of other meanings too.
  const words = ['read', 'write', 'edit', 'undo']
  const names = allTools.map(({ name }) => name).filter((name) => !words.includes(name))
  const asks = new RegExp(`'(?:${names.join('|')})'|(?:tool|name) [!=]== '(?:${words.join('|')})'`)
  const paths = (await readdir(src, { recursive: true })).filter((path) => path.endsWith('.ts'))
  const found = await Promise.all(
    paths.map(async (path) => (asks.test(await readFile(join(src, path), 'utf8')) ? [path] : [])),
  )
  const allowed = Object.values(mayName)
  const others = found.flat().filter((path) => !allowed.some((one) => one.test(path)))
  // The language of a block of code, and the name of a program.
  expect(others.sort()).toEqual(['core/approval/build-card.ts', 'executor/search/grep.ts'])
})

test('REG-03 a duplicate name stops start-up with that name in the message', () => {
  const [first] = builtinTools
  if (first === undefined) throw new Error('no tools')
  expect(() => createRegistry([...builtinTools, { ...first }])).toThrow(/two tools.*"bash"/i)
})

test('REG-03 a name that providers would refuse stops start-up', () => {
  const [first] = builtinTools
  if (first === undefined) throw new Error('no tools')
  expect(() => createRegistry([{ ...first, name: 'a b' }])).toThrow(/"a b"/)
  expect(() => createRegistry([{ ...first, name: 'a'.repeat(65) }])).toThrow()
})

test('REG-05 an unknown name finds the nearest ones', () => {
  expect(findTool('read_file')).toBeUndefined()
  expect(nearestTools('read_file')[0]).toBe('read')
  expect(nearestTools('list_dir')[0]).toBe('list_directory')
  expect(nearestTools('grpe')[0]).toBe('grep')
  expect(nearestTools('BASH')[0]).toBe('bash')
})

test('REG-05 any name gets three names that exist', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (name) => {
      const near = nearestTools(name)
      expect(near).toHaveLength(3)
      for (const each of near) expect(findTool(each)).toBeDefined()
    }),
  )
})

test('WEB-01 REG-01 the web tools run in the worker, change nothing, and take what their schema says', () => {
  for (const name of ['fetch', 'web_scrape']) {
    const tool = findTool(name)
    expect(tool).toMatchObject({ runsIn: 'worker', needsNetwork: true, mutating: false })
  }
  const parse = (args: unknown) => findTool('web_scrape')?.schema.safeParse(args).success
  const page = { url: 'https://site.example/', select: 'p' }
  for (const extract of ['text', 'html', 'attr:href', 'attr:data-x']) {
    expect(parse({ ...page, extract })).toBe(true)
  }
  for (const extract of ['attr:', 'attr:a b', 'attr', 'TEXT', 'inner', '']) {
    expect(parse({ ...page, extract }), extract).toBe(false)
  }
  for (const wrong of [
    { select: '' },
    { select: ' ' },
    { limit: 0 },
    { limit: 1.5 },
    { more: 1 },
  ]) {
    expect(parse({ ...page, ...wrong })).toBe(false)
  }
  expect(toolJsonSchema(findTool('fetch') ?? builtinTools[0] ?? never())['required']).toEqual([
    'url',
  ])
})

function never(): never {
  throw new Error('no tools')
}
