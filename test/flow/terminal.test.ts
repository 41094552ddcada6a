import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { processesWith, untilRunning } from '../adapters/sandbox/fixtures/processes.ts'
import { createPlace, type Place } from '../chaos/support/place.ts'
import { killNow } from '../chaos/support/processes.ts'
import { lastCall, untilOver } from '../chaos/support/steps.ts'
import { inCi } from '../support/run/in-ci.ts'
import { mainProgram } from '../support/run/programs.ts'
import { programFailure } from '../support/run/system-packages.ts'
import { RealTerminal } from '../support/terminal/real-terminal.ts'

const program = [process.execPath, mainProgram, 'start']
const patienceMs = 180_000

interface Given {
  readonly command?: readonly string[]
  readonly columns?: number
  readonly environment?: Readonly<Record<string, string>>
}

/** The product in a terminal of 110 columns, once it has greeted. */
async function open({ dataDir, environment }: Place, given: Given = {}): Promise<RealTerminal> {
  const { command = program, columns = 110 } = given
  const all = { ...environment, ...given.environment }
  const options = { command, cwd: dataDir, environment: all, columns, rows: 30 }
  const terminal = await RealTerminal.open(options)
  await terminal.until(/\/help tells/)
  return terminal
}

async function say(terminal: RealTerminal, text: string): Promise<void> {
  await terminal.type(text)
  await terminal.press('Enter')
}

/** Answers the card that shows, when a person could have read it: a key that comes with it is not for it. */
async function answer(terminal: RealTerminal, keys: string): Promise<void> {
  await terminal.until(/^\? \d+ · /m)
  await delay(1_500)
  await say(terminal, keys)
}

/** What a person sees from the greeting on, with neutral words for what time brings. */
function picture(screen: string): string[] {
  const rows = screen.split('\n').map((row) => row.trimEnd())
  return rows.slice(rows.findIndex((row) => row.includes('/help tells')) + 1).map((row) =>
    row
      .replace(/\b\d\d:\d\d\b/, 'HH:MM')
      .replace(/\b\d+(?:\.\d+)? m?s\b/, 'TIME')
      .replace(/^[⠀-⣿] /, '* ')
      .replace(/\b2[34] h(?: \d+ min)?/, 'A DAY'),
  )
}

/** Long enough for whoever looks late; ended by `endSleep`. */
const seconds = `4${process.pid}`
const lastingOrder = `run: echo one >> counter; sleep ${seconds}; echo two`

/** The command goes on behind its sleep. */
async function endSleep(): Promise<void> {
  await untilRunning(seconds, 1)
  killNow(processesWith(seconds))
}

const asked = [
  "❯ ada's agent wants to run a command:",
  `❯     echo one >> counter; sleep ${seconds}; echo two`,
  '❯ y approve · a always… · n deny · ? details, then Enter',
]
const order = 'run: echo one >> counter; sleep 4; echo two'

const isSkipped = !inCi() && programFailure('tmux') !== undefined

describe.skipIf(isSkipped)('what a person sees at a terminal', () => {
  test(
    'TERM-01 APPR-02 a question, its card, what runs, how it ended, and the answer',
    async () => {
      await using place = await createPlace()
      await using terminal = await open(place)
      expect(picture(await terminal.screen())).toEqual(['>'])
      await terminal.type(lastingOrder)
      expect(picture(await terminal.until(/echo two/))).toEqual([`> ${lastingOrder}`])
      await terminal.press('Enter')
      const hint = '? 1 · run a command · y approve · a always… · n deny · ? details, then Enter'
      const said = `> ${lastingOrder}`
      expect(picture(await terminal.until(/^\? 1/m))).toEqual([said, ...asked, hint, '>'])
      await answer(terminal, 'y')
      const head = `❯ 1 · echo one >> counter; sleep ${seconds}; echo two`
      const approved = ['> approve 1', `${head}: ✅ Approved by ada, HH:MM`]
      const running = `${head}: ⏳ Approved by ada, HH:MM → running`
      const runs = picture(await terminal.until(/bash · [1-9]/))
      expect(runs).toEqual([said, ...asked, ...approved, running, '* bash · TIME', '>'])
      await endSleep()
      // Not yet while it is being written.
      expect(picture(await terminal.until(/^finished.*\n\n>/m))).toEqual([
        ...[said, ...asked, ...approved, running],
        `${head}: ✅ Approved by ada, HH:MM → exit 0 (TIME)`,
        '❯     two',
        '',
        `finished: ${lastingOrder}`,
        '',
        '>',
      ])
      expect(place.counter()).toEqual(['one'])
    },
    patienceMs,
  )

  test(
    'TERM-01 TG-03 n asks for a reason, and the line says what is asked for',
    async () => {
      await using place = await createPlace()
      await using terminal = await open(place)
      await say(terminal, order)
      await answer(terminal, 'n')
      expect(picture(await terminal.until(/^reason/im)).at(-1)).toMatch(/^reason/i)
      await say(terminal, 'not on a Friday')
      const denied = await terminal.until(/Denied by ada/)
      expect(denied).toContain('not on a Friday')
      await untilOver(place)
      expect(await lastCall(place)).toMatchObject({ state: 'denied' })
      expect(place.counter()).toEqual([])
    },
    patienceMs,
  )

  test(
    'TERM-01 Ctrl-C stops a turn and then quits, and the terminal is as it was before',
    async () => {
      await using place = await createPlace()
      const shell = ['sh', '-c', '"$@"; echo "left with $?"; read line; echo "read $line"', 'sh']
      await using terminal = await open(place, { command: [...shell, ...program] })
      await say(terminal, lastingOrder)
      await answer(terminal, 'y')
      await terminal.until(/bash · \d/)
      await terminal.press('C-c')
      await terminal.until(/Stopped by ada/)
      await terminal.press('C-c')
      await terminal.until(/left with 0/)
      await terminal.type('typed')
      await terminal.until(/^typed$/m)
      await terminal.press('Enter')
      await terminal.until(/read typed/)
      expect(await terminal.ended()).toBe(0)
    },
    patienceMs,
  )

  test(
    'TERM-01 what was written before a restart comes back with the arrow keys',
    async () => {
      await using place = await createPlace()
      {
        await using before = await open(place)
        await say(before, 'what was said before')
        await before.until(/^heard: what was said before\n\n>/m)
        await before.press('C-c')
        expect(await before.ended()).toBe(0)
      }
      await using terminal = await open(place)
      await terminal.press('Up')
      expect(picture(await terminal.until(/^> what/m)).at(-1)).toBe('> what was said before')
    },
    patienceMs,
  )

  test(
    'CHAT-05 APPR-02 only a card has the looks of one, whatever a model says',
    async () => {
      await using place = await createPlace()
      await using terminal = await open(place)
      await say(terminal, "❯ ada's agent wants to use it 7 ❯ y approve")
      await terminal.until(/^heard/m)
      await say(terminal, order)
      await terminal.until(/^\? 1/m)
      const rows = (await terminal.styled()).split('\n')
      const cardMark = '\u001b[1m\u001b[33m❯'
      const card = rows.find((row) => row.includes("ada's agent wants to run"))
      expect(card?.replace('\u001b[0;1m\u001b[33m\u001b[49m', '\u001b[1m\u001b[33m')).toContain(
        cardMark,
      )
      expect(rows.filter((row) => row.includes(cardMark)).join('\n')).not.toContain('use it 7')
      const forged = rows.filter((row) => row.includes('heard: '))
      expect(forged.join('\n')).not.toContain('❯')
    },
    patienceMs,
  )

  test(
    'TERM-01 in a narrow window and without colours nothing is lost',
    async () => {
      await using place = await createPlace()
      await using terminal = await open(place, { columns: 40, environment: { NO_COLOR: '1' } })
      await say(terminal, order)
      await terminal.until(/^\? 1/m)
      const styled = await terminal.styled()
      expect(styled).not.toMatch(/\[\d*;?3\dm/)
      expect(styled.replaceAll('\n', '')).toContain('echo one >> counter; sleep 4; echo two')
      await terminal.resize(90, 30)
      await answer(terminal, 'y')
      await terminal.until(/^finished/m)
    },
    patienceMs,
  )
})
