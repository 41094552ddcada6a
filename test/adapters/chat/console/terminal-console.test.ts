import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type {
  ConsoleChat,
  ConsoleOptions,
} from '../../../../src/adapters/chat/console/console-chat.ts'
import { createConsole } from '../../../../src/adapters/chat/console/create-console.ts'
import type { Decision } from '../../../../src/domain/approval.ts'
import { english } from '../../../../src/domain/messages/messages.ts'
import { aContext } from '../../../support/delivery-context.ts'
import { aCard } from './cards.ts'
import { FakeTerminal } from './fake-terminal.ts'

const patience = { timeout: 30_000, interval: 10 }
const turn = { turnId: 'turn-1', epoch: 1 }
/** Longer than a card must stand before a letter answers it. */
const settled = 700

describe('the chat at a terminal', () => {
  let terminal: FakeTerminal
  let chat: ConsoleChat
  let running: Promise<void>
  const heard: unknown[] = []
  const answers: { interrupt: 'stopped' | 'idle'; decision: string; line: () => Promise<void> } = {
    interrupt: 'idle',
    decision: '',
    line: async () => undefined,
  }

  beforeEach(() => {
    heard.length = 0
    Object.assign(answers, { interrupt: 'idle', decision: '', line: async () => undefined })
    start()
  })
  afterEach(async () => {
    answers.interrupt = 'idle'
    terminal.type('\u0015\u0004')
    await sleep(20)
    terminal.type('\u0003')
    await running
  })

  function start(options: Partial<ConsoleOptions> = {}): void {
    terminal = new FakeTerminal(options.columns ?? 80)
    const { input, output } = terminal
    const basic = {
      messages: english,
      input,
      output,
      isTty: true,
      columns: 80,
      color: true,
      version: '1.2.3',
    }
    chat = createConsole({ ...basic, ...options })
    running = chat.run({
      onLine: async (text) => {
        heard.push(['line', text])
        await answers.line()
      },
      onDecision: async (approvalId: string, decision: Decision) => {
        heard.push(['decision', approvalId, decision])
        return answers.decision
      },
      onBatch: async (batchId, action) => void heard.push(['batch', batchId, action]),
      onInterrupt: async () => {
        heard.push(['interrupt'])
        return answers.interrupt
      },
      onShell: async (command) => void heard.push(['shell', command]),
      onEnd: async () => void heard.push(['end']),
    })
  }

  async function shows(text: string): Promise<void> {
    await vi.waitFor(() => expect(terminal.text).toContain(text), patience)
  }

  async function showsLike(pattern: RegExp): Promise<void> {
    await vi.waitFor(() => expect(terminal.text).toMatch(pattern), patience)
  }

  async function hears(...events: unknown[]): Promise<void> {
    await vi.waitFor(() => expect(heard).toEqual(events), patience)
  }

  test('TERM-01 a typed and edited line is sent with Enter, and stays on screen', async () => {
    await shows('Ctrl-C stops, then quits\n>')
    terminal.type('helo wrld')
    for (const key of [
      '\u001b[D',
      '\u001b[D',
      '\u001b[D',
      'o',
      '\u001b[H',
      '\u001b[C',
      '\u001b[C',
      'l',
    ])
      terminal.type(key)
    await shows('> hello world')
    terminal.type('\r')
    await hears(['line', 'hello world'])
    expect(terminal.rows.filter((row) => row.includes('hello world'))).toHaveLength(1)
    expect(terminal.isRaw).toBe(true)
  })

  test('TERM-01 lines are handled one after the other', async () => {
    const gate = Promise.withResolvers<void>()
    answers.line = () => gate.promise
    terminal.type('one\r')
    await hears(['line', 'one'])
    terminal.type('two\r')
    await shows('> two')
    await sleep(50)
    expect(heard).toEqual([['line', 'one']])
    gate.resolve()
    await hears(['line', 'one'], ['line', 'two'])
  })

  test('TERM-01 a failed line is reported, and the chat continues', async () => {
    answers.line = () => Promise.reject(new Error('the database is away'))
    terminal.type('one\r')
    await shows('That was not taken: the database is away')
    answers.line = async () => undefined
    terminal.type('two\r')
    await hears(['line', 'one'], ['line', 'two'])
  })

  test('TERM-01 CHAT-04 text streams, and the final answer is printed once, rendered', async () => {
    chat.live('c', { kind: 'thinking', ...turn })
    await showsLike(/thinking · \d+ s/)
    chat.live('c', { kind: 'text', offset: 0, ...turn, text: '**Unique' })
    chat.live('c', { kind: 'text', offset: 0, ...turn, text: ' answer**\nsecond line' })
    await shows('**Unique answer**\nsecond line')
    await chat.deliver(
      'c',
      {
        kind: 'answer',
        markdown: '**Unique answer**\n\nsecond line',
        turnId: 'turn-1',
      },
      aContext(),
    )
    await shows('Unique answer\n\nsecond line')
    expect(terminal.text.match(/Unique/g)).toHaveLength(1)
    expect(terminal.text.match(/second line/g)).toHaveLength(1)
    expect(terminal.text).not.toContain('**')
    expect(terminal.text).not.toContain('writing')
    expect(terminal.raw).toContain('\u001b[1m')
  })

  test('CHAT-04 a remark of the model is printed once, rendered, and the turn continues', async () => {
    chat.live('c', { kind: 'text', offset: 0, ...turn, text: '**Unique' })
    await shows('**Unique')
    const remark = { kind: 'remark', markdown: '**Unique** words', turnId: 'turn-1' } as const
    await chat.deliver('c', remark, aContext())
    await shows('\nUnique words\n')
    expect(terminal.text.match(/Unique/g)).toHaveLength(1)
    expect(terminal.text).toMatch(/writing · \d+ s/)
    chat.live('c', { kind: 'text', offset: 0, ...turn, text: 'Next' })
    await shows('Next\n')
    expect(terminal.text.match(/Unique/g)).toHaveLength(1)
  })

  test('CHAT-04 LOOP-14 late events of a turn that was stopped or answered do not restart its status', async () => {
    for (const [turnId, message] of [
      ['turn-7', { kind: 'notice', text: 'Stopped by ada.', endsTurn: 'turn-7' }],
      ['turn-8', { kind: 'answer', markdown: 'Done.', turnId: 'turn-8' }],
    ] as const) {
      const late = {
        kind: 'progress',
        turnId,
        epoch: 1,
        callId: 'c',
        text: '',
        elapsedMs: 0,
      } as const
      chat.live('c', { ...late, tool: `before ${turnId}` })
      await shows(`before ${turnId}`)
      await chat.deliver('c', message, aContext())
      chat.live('c', { ...late, tool: `after ${turnId}` })
      chat.live('c', { ...late, turnId: `next of ${turnId}`, tool: `fresh ${turnId}` })
      await shows(`fresh ${turnId}`)
      expect(terminal.text).not.toContain(`after ${turnId}`)
    }
  })

  test('CHAT-04 text of a superseded epoch is removed, and a long preview shows its end', async () => {
    chat.live('c', { kind: 'text', offset: 0, ...turn, text: 'old words' })
    await shows('old words')
    chat.live('c', {
      kind: 'text',
      offset: 0,
      turnId: 'turn-1',
      epoch: 2,
      text: `${'row\n'.repeat(100)}the end`,
    })
    await shows('the end')
    expect(terminal.text).not.toContain('old words')
    expect(terminal.rows.length).toBeLessThan(20)
  })

  test('BASH-09 TERM-01 the status line shows the tool, the time and the last line', async () => {
    chat.live('c', {
      kind: 'progress',
      ...turn,
      callId: 'x',
      tool: 'bash',
      text: 'Compiling serde\n',
      elapsedMs: 8_100,
    })
    await showsLike(/bash · ([89]|\d\d) s · Compiling serde/)
    // It goes on by itself; a busy machine may leave out any one second.
    await showsLike(/bash · (9|\d\d) s · Compiling serde/)
  })

  test('TERM-01 printing does not affect the line being written', async () => {
    terminal.type('half a thou')
    await shows('> half a thou')
    await chat.deliver('c', { kind: 'notice', text: 'Something happened.' }, aContext())
    await shows('Something happened.\n> half a thou')
    terminal.type('ght\r')
    await hears(['line', 'half a thought'])
  })

  test('TERM-01 TERM-03 without color the markdown is printed as it is, without styles', async () => {
    terminal.type('\u0004')
    await running
    start({ color: false })
    await chat.deliver(
      'c',
      { kind: 'answer', markdown: '# Title\n\n**bold**', turnId: 'turn-1' },
      aContext(),
    )
    await chat.deliver('c', { kind: 'card', card: aCard() }, aContext())
    await shows('# Title\n\n**bold**')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what it looks for
    expect(terminal.raw).not.toMatch(/\u001b\[[\d;]*m/)
  })

  describe('with a card', () => {
    const card = aCard()
    const id = card.approvalId

    async function open(settle = settled): Promise<void> {
      await chat.deliver('c', { kind: 'card', card }, aContext())
      await shows('y approve · a always: rm -rf build · n deny · ? details')
      await sleep(settle)
    }

    test.each([
      ['y', { kind: 'approve' }],
      ['a', { kind: 'always' }],
      ['t', { kind: 'always', life: 'turn' }],
      ['m', { kind: 'always', life: '15m' }],
      ['h', { kind: 'always', life: '1h' }],
      ['x', { kind: 'always', life: '5x' }],
    ] as const)(
      'TERM-01 APPR-03 APPR-15 the key %s alone on the line answers it',
      async (key, decision) => {
        await open()
        terminal.type(key)
        await shows(`> ${key}`)
        expect(heard).toEqual([])
        terminal.type('\r')
        await hears(['decision', id, decision])
      },
    )

    test.each([
      ['too big', { kind: 'deny', reason: 'too big' }],
      ['', { kind: 'deny' }],
    ] as const)('TERM-01 APPR-03 n denies, with the reason %j', async (reason, decision) => {
      await open()
      terminal.type('n\r')
      await shows('reason (Enter: none, Esc: back) >')
      expect(heard).toEqual([])
      terminal.type(`${reason}\r`)
      await hears(['decision', id, decision])
    })

    test('APPR-09 Ctrl-C leaves a denial: nothing is decided and nothing is stopped', async () => {
      await open()
      terminal.type('n\r')
      await shows('reason (')
      terminal.type('\u0003')
      await vi.waitFor(() => expect(terminal.text).not.toContain('reason ('), patience)
      terminal.type('hello\r')
      await hears(['line', 'hello'])
    })

    test.each(['yes', 'no', 'y es', 'yy', 'always', 'Y', 'approve', 'n o', 'y!'])(
      'APPR-09 %j is an ordinary message, not an answer',
      async (text) => {
        await open()
        terminal.type(`${text}\r`)
        await hears(['line', text])
      },
    )

    test('APPR-09 a letter typed before or while the card appeared does not answer it', async () => {
      terminal.type('y')
      await shows('> y')
      await open()
      terminal.type('\r')
      await shows('Approval 3 came while you wrote. Answer again.')
      expect(heard).toEqual([])
      terminal.type('y\r')
      await hears(['decision', id, { kind: 'approve' }])
    })

    test('APPR-09 a letter right after the card appeared does not answer it', async () => {
      // It stands still, so that the letter comes right after the card on a busy machine too.
      const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
      onTestFinished(() => void clock.mockRestore())
      await open(0)
      terminal.type('y\r')
      await shows('Approval 3 came while you wrote. Answer again.')
      expect(heard).toEqual([])
    })

    test('CARD-02 ? shows the details, and answers nothing', async () => {
      await open()
      terminal.type('?\r')
      await shows('❯ Who may answer: Ada, or an approver')
      expect(heard).toEqual([])
    })

    test('CARD-03 a key of Always acts only once all that it would allow was shown', async () => {
      const several = aCard({ alwaysPatterns: ['git log *', 'wc *'] })
      await chat.deliver('c', { kind: 'card', card: several }, aContext())
      await shows('a always…')
      await sleep(settled)
      terminal.type('h\r')
      await shows('a always · t this turn · m 15 min · h 1 h · x 5 times, then Enter')
      expect(heard).toEqual([])
      terminal.type('h\r')
      await hears(['decision', id, { kind: 'always', life: '1h' }])
    })

    test('CARD-03 one pattern that allows more than the call is shown, and a asks once more', async () => {
      const { isAlwaysHarmless: _, ...wide } = aCard({ alwaysPatterns: ['git push *'] })
      await chat.deliver('c', { kind: 'card', card: wide }, aContext())
      await shows('a always…')
      await sleep(settled)
      terminal.type('a\r')
      await shows('❯ Always would allow: git push *')
      expect(heard).toEqual([])
      terminal.type('a\r')
      await hears(['decision', id, { kind: 'always' }])
    })

    test('APPR-23 if Always is not offered, a is not an answer and is not shown', async () => {
      await chat.deliver('c', { kind: 'card', card: aCard({ alwaysPatterns: [] }) }, aContext())
      await shows('y approve · n deny')
      expect(terminal.text).not.toContain('a always')
      await sleep(settled)
      terminal.type('a\r')
      await shows('Always is not offered for approval 3.')
      expect(heard).toEqual([])
    })

    test('APPR-05 APPR-13 an update is one status line, printed once, and disables the keys', async () => {
      await open()
      const at = new Date(new Date().setHours(12, 3, 0, 0)).toISOString()
      const approved = aCard({ status: { kind: 'approved', by: 'Ada', at, always: false } })
      await chat.deliver('c', { kind: 'card_update', card: approved }, aContext({ editOf: 'm-1' }))
      await chat.deliver('c', { kind: 'card_update', card: approved }, aContext({ editOf: 'm-2' }))
      await shows('❯ 3 · rm -rf build: ✅ Approved by Ada, 12:03 UTC')
      expect(terminal.text.match(/Approved by Ada/g)).toHaveLength(1)
      expect(terminal.text).not.toContain('? 3 · bash · y approve')
      terminal.type('y\r')
      await hears(['line', 'y'])
    })

    test('APPR-04 a refused answer is reported, and the card can be answered again', async () => {
      answers.decision = 'Only Bob may answer that.'
      await open()
      terminal.type('y\r')
      await shows('Only Bob may answer that.')
      answers.decision = ''
      terminal.type('y\r')
      const decided = ['decision', id, { kind: 'approve' }]
      await hears(decided, decided)
    })

    test('APPR-10 the oldest of several cards is answered first, and the line names it', async () => {
      await open(0)
      const second = aCard({
        approvalId: '01a1ff00-0000-7000-8000-000000000004',
        number: 4,
        tool: 'write',
      })
      await chat.deliver('c', { kind: 'card', card: second }, aContext())
      await shows('? 3 · bash, 2 wait')
      await sleep(settled)
      terminal.type('y\r')
      await hears(['decision', id, { kind: 'approve' }])
      await shows('? 4 · write · y approve')
      terminal.type('y\r')
      await vi.waitFor(
        () => expect(heard[1]).toEqual(['decision', second.approvalId, { kind: 'approve' }]),
        patience,
      )
    })
  })

  test('TERM-01 Ctrl-C stops a turn, clears a line, and quits if there is nothing to stop', async () => {
    answers.interrupt = 'stopped'
    terminal.type('draft')
    await shows('> draft')
    terminal.type('\u0003')
    await hears(['interrupt'])
    await shows('> draft')
    answers.interrupt = 'idle'
    await sleep(20)
    terminal.type('\u0003')
    await vi.waitFor(() => expect(terminal.text).not.toContain('draft'), patience)
    await sleep(20)
    terminal.type('\u0003')
    await running
    expect(heard.at(-1)).toEqual(['end'])
    expect(terminal.isRaw).toBe(false)
    expect(terminal.raw.endsWith('\u001b[?2004l')).toBe(true)
  })

  test('PROC-03 a second Ctrl-C during the first ends at once', async () => {
    const end = new FakeTerminal()
    const stuck = createConsole({
      messages: english,
      input: end.input,
      output: end.output,
      isTty: true,
      columns: 80,
      color: false,
      version: '1',
    })
    const never = new Promise<never>(() => undefined)
    const done = stuck.run({
      onLine: () => never,
      onDecision: () => never,
      onBatch: () => never,
      onInterrupt: () => never,
      onShell: () => never,
      onEnd: () => never,
    })
    end.type('\u0003')
    await sleep(50)
    end.type('\u0003')
    await done
  })

  test('TERM-03 a line that starts with ! is a shell command of the person', async () => {
    terminal.type('!ls -la\r')
    await hears(['shell', 'ls -la'])
  })

  test.each(['\u001b[200~!ls\nrm -rf x\n\u001b[201~', '!ls\rrm -rf x\r', '!ls\nrm -rf x\n'])(
    'THREAT-24 several lines that are pasted (%j) are shown first, then one message, never a command',
    async (paste) => {
      terminal.type(paste)
      await shows('> !ls⏎rm -rf x')
      await sleep(50)
      expect(heard).toEqual([])
      terminal.type('\r')
      await vi.waitFor(() => expect(heard).toHaveLength(1), patience)
      expect(heard[0]).toEqual(['line', expect.stringMatching(/^!ls\nrm -rf x\n?$/)])
    },
  )

  test('TERM-01 a line longer than the terminal stays on one row around the cursor', async () => {
    const long = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ')
    for (const part of long.match(/.{1,7}/g) ?? []) terminal.type(part)
    await shows('word59')
    expect(terminal.rows.at(-1)).not.toContain('word1 ')
    expect(Math.max(...terminal.rows.map((row) => row.length))).toBeLessThan(80)
    terminal.type('\r')
    await hears(['line', long])
  })

  test('TERM-01 earlier input is recalled with the up key, also in the next session, from a private file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'history-'))
    const historyFile = join(folder, 'history')
    terminal.type('\u0004')
    await running
    start({ historyFile })
    terminal.type('first\r')
    terminal.type('second\r')
    await vi.waitFor(() => expect(heard).toContainEqual(['line', 'second']), patience)
    terminal.type('\u0004')
    await running
    expect(await readFile(historyFile, 'utf8')).toBe('"first"\n"second"\n')
    expect((await stat(historyFile)).mode & 0o777).toBe(0o600)

    start({ historyFile })
    await shows('Ctrl-C stops, then quits\n>')
    terminal.type('dra')
    await shows('> dra')
    terminal.type('\u001b[A')
    await shows('> second')
    terminal.type('\u001b[A')
    await shows('> first')
    terminal.type('\u001b[B')
    terminal.type('\u001b[B')
    await shows('> dra')
    await rm(folder, { recursive: true })
  })

  test.each(['end', 'destroy'] as const)(
    'TERM-01 PROC-03 closing the terminal counts as leaving: %s',
    async (how) => {
      terminal.input[how]()
      await running
      expect(heard).toEqual([['end']])
      expect(terminal.isRaw).toBe(false)
    },
  )
})
