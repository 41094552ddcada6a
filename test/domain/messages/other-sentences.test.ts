import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '../../../src')

/** Files that write sentences themselves, by their readers. */
const mayWrite: Readonly<Record<string, RegExp>> = {
  'the model':
    /^core\/(?:call\/create-batch|call\/output\/summary-words|turn\/model\/system-prompt)/,
  'the reader of a session’s transcript, in the form of the model':
    /^core\/session\/read-transcript/,
  'operators, in the log': /^gateway\/who-may-talk/,
  'operators, why a platform refused, in the log and the outbox':
    /^adapters\/chat\/(?:slack|telegram)\/(?:connect|fetch-file|incoming\/receive-by-socket|incoming\/api-failure|outgoing\/to-delivery)/,
}

const sentence = /^[^\w]*[A-Z][a-z']* [a-z]+ [a-z]/

/** Sentences among the literals of a file, except those of errors, which people do not read. */
function sentencesIn(path: string): string[] {
  const text = readFileSync(join(src, path), 'utf8')
  const found: string[] = []
  const walk = (node: ts.Node): void => {
    if (ts.isNewExpression(node) || ts.isThrowStatement(node)) return
    const isText = ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)
    if ((isText || ts.isTemplateHead(node)) && sentence.test(node.text)) found.push(node.text)
    ts.forEachChild(node, walk)
  }
  walk(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  return found
}

test('CARD-06 what people read is in the catalogue: no other file of these rooms has sentences', () => {
  const paths = ['core', 'gateway', 'adapters/chat'].flatMap((room) =>
    readdirSync(join(src, room), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => `${room}/${path}`),
  )
  expect(paths.length).toBeGreaterThan(100)
  const allowed = Object.values(mayWrite)
  const writers = paths.filter((path) => sentencesIn(path).length > 0)
  for (const one of allowed) expect(writers.some((path) => one.test(path))).toBe(true)
  const others = writers.filter((path) => !allowed.some((one) => one.test(path)))
  expect(Object.fromEntries(others.map((path) => [path, sentencesIn(path)]))).toEqual({})
})
