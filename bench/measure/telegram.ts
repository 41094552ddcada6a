import { type Figure, type Floor, median, quantile, toFigure } from '../support/figure.ts'
import { type Effort, type Measurement, runs } from '../support/measurement.ts'
import { openTelegramBench, type TelegramBench } from '../support/open-telegram-bench.ts'
import { repeat, timed } from '../support/repeat.ts'
import { epochRealtime, unixMs } from '../support/unix-time.ts'

const peopleAtOnce = 20
const turnsAChat = 20

/** What people wait for in Telegram; the stand-in answers at once, from the same process. */
export const telegram: Measurement = {
  name: 'telegram',
  about: 'through the Bot API over HTTP, by long polling; the model answers at once',
  measure: async (effort) => {
    await using bench = await openTelegramBench(400)
    await repeat(20, (index) => ask(bench, index % 2))
    const floor = { what: 'getMe', value: median(await repeat(100, () => timed(bench.ping))) }
    return [
      ...(await messages(bench, effort, floor)),
      ...(await questions(bench, effort, floor)),
      ...(await together(bench, effort)),
    ]
  },
}

function isAnswer({ text }: { readonly text: string }): boolean {
  return text === 'Done.'
}

function ask(bench: TelegramBench, person: number) {
  return bench.person(person).ask('hello', isAnswer)
}

async function messages(bench: TelegramBench, effort: Effort, floor: Floor): Promise<Figure[]> {
  const waits = await repeat(runs(effort, 100), async (index) => {
    const { afterMs } = await ask(bench, 10 + Math.floor(index / turnsAChat))
    return afterMs
  })
  return [
    toFigure('message → answer, without the model', 'ms', waits, {
      floor,
      aim: { of: 'median', atMost: 50 },
    }),
  ]
}

async function questions(bench: TelegramBench, effort: Effort, floor: Floor): Promise<Figure[]> {
  const asked: number[] = []
  const started: number[] = []
  const answered: number[] = []
  await repeat(runs(effort, 60), async (index) => {
    const person = bench.person(30 + (index % 4))
    const card = await person.ask('run echo $EPOCHREALTIME', ({ buttons }) => buttons.length > 0)
    asked.push(card.afterMs)
    const tappedAt = unixMs()
    const answer = await person.tap(card.message.id, 'Approve', isAnswer)
    answered.push(answer.afterMs)
    started.push(epochRealtime(bench.model.result) - tappedAt)
  })
  return [
    toFigure('message → card', 'ms', asked, { floor }),
    toFigure('tap → the command runs', 'ms', started, {
      floor,
      aim: { of: 'median', atMost: 40 },
    }),
    toFigure('tap → final answer', 'ms', answered, { floor }),
  ]
}

/** People at once, each writing again as soon as they are answered. */
async function together(bench: TelegramBench, effort: Effort): Promise<Figure[]> {
  const each = runs(effort, 10)
  const rounds = await repeat(runs(effort, 5), async (round) => {
    const start = performance.now()
    const waits = await Promise.all(
      Array.from({ length: peopleAtOnce }, (_, index) =>
        repeat(each, async () => (await ask(bench, 50 + round * peopleAtOnce + index)).afterMs),
      ),
    )
    const seconds = (performance.now() - start) / 1_000
    return { perSecond: (peopleAtOnce * each) / seconds, waits: waits.flat() }
  })
  const waits = rounds.flatMap((round) => round.waits)
  const perSecond = rounds.map((round) => round.perSecond)
  return [
    toFigure(`${peopleAtOnce} people at once: turns`, '/s', perSecond),
    toFigure('… message → answer', 'ms', waits),
    toFigure('… p95 of it', 'ms', [quantile(waits, 0.95)]),
  ]
}
