import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '../../../src')

/** Files that write sentences themselves, by their readers. */
const mayWrite: Readonly<Record<string, RegExp>> = {
  'the model':
    /^core\/(?:call\/(?:create-batch|run-agent-tool|send-call|gate\/judge-call|output\/(?:search-lines|show-overflow|summary-words)|result\/returned)|approval\/(?:request-approvals|sweep-approvals)|turn\/(?:put-uploads|context\/fit-context|model\/system-prompt))\.ts$/,
  'the reader of a session’s transcript, in the form of the model':
    /^core\/session\/read-transcript/,
  'the audit, and those who verify it':
    /^core\/(?:audit\/(?:anchors|prune|verify-chains?)|call\/(?:audit-call|gate\/watch-tool|result\/settle-result)|approval\/(?:grants|rules-orders)|inbox\/(?:take-incoming|commands\/link|pairing\/(?:pair|take-link)))\.ts$/,
  'the audit and the details of a card: why a review failed': /^core\/turn\/model\/review-call/,
  'operators, in the log':
    /^(?:gateway\/(?:who-may-talk|serve-slack|slack-problems)|core\/(?:delivery\/(?:deliver|settle-delivery)|call\/result\/receive-worker-message|inbox\/files\/fetch-uploads|turn\/(?:act|sweep)))\.ts$/,
  'operators, where a file of rules lies': /^core\/call\/gate\/file-rules/,
  'operators, why a platform refused or what it sent, in the log and the outbox':
    /^adapters\/chat\/(?:(?:slack|telegram)\/(?:connect|fetch-file|incoming\/[\w-]+|outgoing\/to-delivery)|outgoing\/deliver)\.ts$/,
  'code of the product: names of sets of commands':
    /^adapters\/chat\/telegram\/(?:outgoing\/create-messenger|render\/defuse)/,
}

/** A run of four words, of which none but the first has a capital. */
const sentence = /^[^\w]*[A-Za-z][a-z'’]* [a-z]+ [a-z]+ [a-z]/

/** Whether a call writes to the log, or names what runs periodically for it. */
function isOfLog(node: ts.Node): boolean {
  return (
    ts.isCallExpression(node) &&
    /(?:^|\.)log\.\w+$|^runPeriodically$/.test(node.expression.getText())
  )
}

/** A literal's text; in a template each value is a number. */
function textIn(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return node.head.text + node.templateSpans.map(({ literal }) => `7${literal.text}`).join('')
}

/** Sentences among the literals of a file, except those of errors and the log, which chats do not show. */
function sentencesIn(path: string): string[] {
  const text = readFileSync(join(src, path), 'utf8')
  const found: string[] = []
  const walk = (node: ts.Node): void => {
    if (ts.isNewExpression(node) || ts.isThrowStatement(node) || isOfLog(node)) return
    const text = textIn(node)
    if (text !== undefined && sentence.test(text)) found.push(text)
    ts.forEachChild(node, walk)
  }
  walk(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  return found
}

test('CARD-06 what people read is in the catalogue: no other file of these rooms has sentences', () => {
  const paths = ['core', 'gateway', 'agent', 'adapters/chat'].flatMap((room) =>
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
