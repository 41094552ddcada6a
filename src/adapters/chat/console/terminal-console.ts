import { emitKeypressEvents } from 'node:readline'
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Delivery, DeliveryContext, LiveEvent, Outgoing } from '../../../ports/chat.ts'
import { newId } from '../../../util/ids.ts'
import { endedTurn } from '../live/conversation-view.ts'
import { createPaints, type Paints } from '../render/paint.ts'
import { toPrintable, toPrintableLine } from '../render/printable.ts'
import { CardKeys } from './card-keys.ts'
import { answerKeys, type CardStyle, choiceText, detailsText } from './card-text.ts'
import type { ConsoleChat, ConsoleHandlers, ConsoleOptions } from './console-chat.ts'
import type { Key } from './edit-line.ts'
import { History } from './history.ts'
import { LinePrompt } from './line-prompt.ts'
import { LiveStatus } from './live-status.ts'
import { batchName, isNoteOnly, PrintedCards, present } from './present.ts'
import { Screen } from './screen.ts'
import { TerminalSession } from './terminal-session.ts'
import { wholeBatch, wholeCard } from './whole-card.ts'

const refreshMs = 250
const pasteMarks = { on: '\u001b[?2004h', off: '\u001b[?2004l' }

/** The chat at a terminal: an input line at the bottom, the turn's status above it, and all messages above that. */
export class TerminalConsole implements ConsoleChat {
  readonly name = 'console'
  readonly #options: ConsoleOptions
  readonly #screen: Screen
  readonly #paints: Paints
  readonly #cards: CardKeys
  readonly #status: LiveStatus
  readonly #printedCards = new PrintedCards()
  #running: { readonly session: TerminalSession; readonly prompt: LinePrompt } | undefined

  constructor(options: ConsoleOptions) {
    this.#options = options
    this.#cards = new CardKeys(options.messages)
    this.#status = new LiveStatus(options.messages)
    this.#screen = new Screen(options.output, options.columns)
    this.#paints = createPaints(options.color)
  }

  async deliver(_place: string, given: Outgoing, context: DeliveryContext): Promise<Delivery> {
    const message = await wholeCard(given, context)
    const text = present(message, {
      ...this.#cardStyle(),
      rendered: this.#options.color,
      printedCards: this.#printedCards,
      batchFile: await wholeBatch(given, context),
    })
    this.#update(message)
    const isModels = message.kind === 'answer' || message.kind === 'remark'
    if (text !== '') this.#screen.print(isModels ? `\n${text}\n` : text)
    this.#refresh()
    return { kind: 'sent', messageId: newId() }
  }

  #cardStyle(): CardStyle {
    const { columns } = this.#screen
    const { messages } = this.#options
    return { messages, paints: this.#paints, columns, keys: true, now: Date.now() }
  }

  live(_conversation: string, event: LiveEvent): void {
    this.#status.take(event, Date.now())
    this.#refresh()
  }

  async run(handlers: ConsoleHandlers): Promise<void> {
    const { messages, version, historyFile } = this.#options
    const history = await History.open(historyFile)
    const session = new TerminalSession(handlers, {
      messages,
      cards: this.#cards,
      echo: (text) => this.#echo(text),
      remember: (text) => history.add(text),
      dropLine: () => this.#dropLine(),
      print: (text) => this.#screen.print(this.#paints.dim(toPrintable(text))),
      show: ({ kind, card }) => {
        const style = this.#cardStyle()
        this.#screen.print(kind === 'details' ? detailsText(card, style) : choiceText(card, style))
        if (kind === 'choice') this.#cards.showChoice(card)
      },
      changed: () => this.#refresh(),
    })
    const prompt = new LinePrompt(history, {
      submit: (text, begunAt) => session.submit(text, begunAt),
      escape: () => session.escape(),
      interrupt: () => session.interrupt(),
      leave: () => session.leave(),
      changed: () => this.#refresh(),
    })
    this.#running = { session, prompt }
    using _terminal = this.#takeTerminal(prompt, session)
    this.#screen.print(this.#paints.dim(messages.terminal.intro({ version })))
    this.#refresh()
    try {
      await session.over
    } finally {
      this.#running = undefined
      this.#screen.close()
      await history.flush()
    }
  }

  #takeTerminal(prompt: LinePrompt, session: TerminalSession): Disposable {
    const { input, output } = this.#options
    const resized = (): void => this.#screen.resize(output.columns ?? this.#screen.columns)
    const leave = (): void => session.leave()
    input.setRawMode?.(true)
    output.write(pasteMarks.on)
    output.on('resize', resized)
    // Also when it is destroyed, as when the process is asked to end.
    for (const event of ['end', 'close']) input.on(event, leave)
    const keys = readKeys(input, {
      key: (typed, key) => prompt.key(typed, key),
      paste: (text) => prompt.paste(text),
    })
    const timer = setInterval(() => {
      if (this.#status.active) this.#refresh()
    }, refreshMs)
    return {
      [Symbol.dispose]: () => {
        clearInterval(timer)
        keys[Symbol.dispose]()
        for (const event of ['end', 'close']) input.off(event, leave)
        output.off('resize', resized)
        output.write(pasteMarks.off)
        input.setRawMode?.(false)
      },
    }
  }

  /** Updates the keys and the status for a message. */
  #update(message: Outgoing): void {
    if (message.kind === 'card_update' && isNoteOnly(message.card)) return
    const now = Date.now()
    if (message.kind === 'card') this.#cards.show(message.card, now)
    else if (message.kind === 'card_update') this.#cards.update(message.card, now)
    else if (message.kind === 'batch') this.#cards.showBatch(message.batch, now)
    else if (message.kind === 'batch_update') this.#cards.updateBatch(message.batch, now)
    const isUpdate = message.kind === 'card_update' || message.kind === 'batch_update'
    if (message.kind === 'remark') this.#status.clearText()
    else if (!isUpdate) this.#status.clear(endedTurn(message))
  }

  #echo(text: string): void {
    this.#screen.print(this.#paints.dim(`> ${toPrintable(text).replaceAll('\n', '\n  ')}`))
  }

  #dropLine(): boolean {
    const prompt = this.#running?.prompt
    if (prompt === undefined || prompt.line.text === '') return false
    prompt.clear()
    return true
  }

  #refresh(): void {
    if (this.#running === undefined) return
    const { session, prompt } = this.#running
    this.#screen.show({
      lines: [
        ...this.#status.rows(this.#screen.columns, Date.now()),
        ...(session.denying ? [] : this.#cardHint()),
      ],
      prompt: session.prompt,
      line: prompt.line,
    })
  }

  #cardHint(): string[] {
    const asked = this.#cards.current()
    if (asked === undefined) return []
    const { messages } = this.#options
    const { terminal } = messages
    const count = this.#cards.count()
    const more = count > 1 ? `, ${terminal.moreWait({ count })}` : ''
    if (asked.kind === 'batch') {
      const keys = terminal.thenEnter({ keys: terminal.batchKeys })
      return [`? ${batchName(messages, asked.batch)}${more} · ${keys}`]
    }
    const { card } = asked
    const question = `? ${card.number} · ${toPrintableLine(card.does ?? card.tool)}${more}`
    return [`${question} · ${terminal.thenEnter({ keys: answerKeys(messages, card) })}`]
  }
}

interface KeyEvents {
  key(typed: string | undefined, key: Key): void
  /** Text that was pasted, with its line breaks. */
  paste(text: string): void
}

/**
 * Reads keys from a terminal in raw mode until disposed. Text that the terminal marks as pasted arrives in one piece, and so
 * does a chunk with a line break in its middle, which cannot be typed.
 */
function readKeys(input: Readable, events: KeyEvents): Disposable {
  const decoder = new StringDecoder('utf8')
  const keys = new Readable({ read: () => undefined })
  let pasted: string | undefined
  emitKeypressEvents(keys)
  keys.on('keypress', (typed: string | undefined, key: Key) => {
    if (key.name === 'paste-start') pasted = ''
    else if (key.name === 'paste-end') {
      if (pasted !== undefined) events.paste(pasted)
      pasted = undefined
    } else if (pasted !== undefined) pasted += key.sequence ?? typed ?? ''
    else events.key(typed, key)
  })
  const take = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk)
    if (pasted === undefined && cameAtOnce(text)) events.paste(text.replace(/[\r\n]+$/, ''))
    else if (text !== '') keys.emit('data', Buffer.from(text))
  }
  input.on('data', take)
  return {
    [Symbol.dispose]: () => {
      input.off('data', take)
      input.pause()
    },
  }
}

function cameAtOnce(text: string): boolean {
  return !text.includes('\u001b') && /[\r\n]+[^\r\n]/.test(text)
}
