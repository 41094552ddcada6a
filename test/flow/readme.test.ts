import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { runProgram } from '../cli/run-program.ts'
import { inCi } from '../support/run/in-ci.ts'
import { mainProgram } from '../support/run/programs.ts'
import { programFailure } from '../support/run/system-packages.ts'
import { RealTerminal } from '../support/terminal/real-terminal.ts'

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
const isSkipped = !inCi() && programFailure('tmux') !== undefined
const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', USER: 'ada' }

/** The code blocks of one section, up to the next heading of its rank. */
function blocksOf(heading: string, language: string): readonly string[] {
  const section = `\n${readme}`.split(`\n${heading}\n`)[1]?.split(/\n##? /)[0] ?? ''
  const found = section.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))
  return [...found].map(([, block = '']) => block.trimEnd())
}

/** Neutral words for what time, chance and this machine bring. */
function neutral(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'WHEN')
    .replaceAll(/\b\d\d:\d\d\b/g, 'HH:MM')
    .replaceAll(/\b\d+(?:\.\d+)? ?m?s\b/g, 'TIME')
    .replaceAll(/\b2[34] h(?: \d+ min)?/g, 'A DAY')
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}/g, 'ID')
    .replaceAll(/ +/g, ' ')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n')
}

interface Directory extends AsyncDisposable {
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
}

/** An empty directory, as a newcomer's. */
async function createDirectory(): Promise<Directory> {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), 'countersign-readme-')))
  return {
    cwd,
    environment: { ...environment, HOME: cwd },
    [Symbol.asyncDispose]: () =>
      rm(cwd, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  }
}

function open({ cwd, environment: given }: Directory): Promise<RealTerminal> {
  const command = [process.execPath, mainProgram, 'start']
  return RealTerminal.open({ command, cwd, environment: given, columns: 100, rows: 60 })
}

/** Types a line as a person does. */
async function type(terminal: RealTerminal, line: string): Promise<void> {
  await terminal.type(line)
  await terminal.press('Enter')
}

describe.skipIf(isSkipped)('what the README shows', () => {
  test('DOC-01 the picture at its top is what a terminal shows', async () => {
    await using directory = await createDirectory()
    await using terminal = await open(directory)
    await terminal.until(/\/help tells/)
    const [picture = ''] = blocksOf('# Countersign', 'text')
    const [order = ''] = picture.split('\n')
    const [, reason = ''] = /Denied by ada, [\d:]+: (.*)/.exec(picture) ?? []
    await type(terminal, order.slice('> '.length))
    await terminal.until(/then Enter/)
    // A key that comes with the card is not for it.
    await delay(1_500)
    await type(terminal, 'n')
    await terminal.until(/^reason/im)
    await type(terminal, reason)
    await terminal.until(/was not done/)
    const shown = neutral(await terminal.screen())
    expect(shown.slice(shown.indexOf(neutral(picture).split('\n')[0] ?? ''))).toContain(
      neutral(picture),
    )
  })
})

describe('what the README says to type', () => {
  test('DOC-01 the first walk, its audit and the answers through a pipe happen as written', async () => {
    await using directory = await createDirectory()
    const start = startIn(directory)
    const walk = readme.split('\n## A first walk\n')[1]?.split('\n## ')[0] ?? ''
    const steps = [...walk.matchAll(/^\d\. `([^`]+)`/gm)].map(([, step = '']) => step)
    const [reads = '', writes = '', runs = '', yes] = steps
    expect(yes).toBe('y')
    const walked = await start([reads, writes, runs, '/approve'].join('\n'))
    expect(walked.stdout).toContain(/The answer comes: `([^`]+)`/.exec(walk)?.[1] ?? 'nothing')

    const [audit = ''] = blocksOf('## A first walk', 'console')
    for (const [command = '', ...output] of commandsIn(audit)) {
      const ended = await runProgram(command.replace(/^npx countersign /, '').split(' '), directory)
      expect(neutral(ended.stdout)).toBe(neutral(output.join('\n')))
    }
  })

  test('DOC-01 what is piped in asks, is kept, and is answered by the next start, as written', async () => {
    await using directory = await createDirectory()
    const start = startIn(directory)
    const [piped = ''] = blocksOf('## Without a terminal', 'console')
    const [asks = [], code = [], answers = []] = commandsIn(piped)
    const first = await start(/echo '(.*)' \|/.exec(asks[0] ?? '')?.[1] ?? '')
    expect(neutral(first.stdout)).toContain(neutral(asks.slice(2).join('\n')))
    expect(first.exitCode).toBe(Number(code[1]))
    const second = await start(/echo '(.*)' \|/.exec(answers[0] ?? '')?.[1] ?? '')
    expect(neutral(second.stdout)).toContain(neutral(answers.slice(2).join('\n')))
  })

  test('DOC-02 each step of the first hour shows what the tutorial says', async () => {
    await using directory = await createDirectory()
    const path = new URL('../../docs/tutorials/first-hour.md', import.meta.url)
    const steps = [...(await readFile(path, 'utf8')).matchAll(/^\d\. Type `([^`]+)`(.*)$/gm)]
    expect(steps.length).toBeGreaterThan(4)
    const ended = await startIn(directory)(steps.map(([, typed = '']) => typed).join('\n'))
    const shown = steps.flatMap(([, , rest = '']) => [...rest.matchAll(/`([^`]+)`/g)])
    for (const [, words = ''] of shown) expect(ended.stdout).toContain(words)
  })
})

const startIn = (directory: Directory) => (input: string) =>
  runProgram(['start'], { ...directory, input: `${input}\n` })

/** A transcript's commands, each with the lines that it printed. */
function commandsIn(block: string): readonly (readonly string[])[] {
  const parts = `\n${block}`.split('\n$ ').slice(1)
  return parts.map((part) => part.trimEnd().split('\n'))
}
