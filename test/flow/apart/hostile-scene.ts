import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Db, ToolCallRow, WorkerRow } from '../../../src/db/schema.ts'
import type { AuditKind } from '../../../src/domain/audit-event.ts'
import { ada } from '../../chaos/telegram/chat-place.ts'
import { type Apart, createApart, untilReady } from '../../support/apart/create-apart.ts'
import { type Role, roles } from '../../support/apart/roles.ts'
import type { RealProgram } from '../../support/real-product.ts'
import { type Attacker, createAttacker } from './hostile-attacker.ts'

/** Stands in everything that is forged: wherever it shows or is stored, a forgery has come through. */
export const forged = 'FORGED'

/** Commands here wait for a file that the test makes when it is done with them. */
const patientShell = {
  COUNTERSIGN_TOOLS_SHELL_TIMEOUT: '600',
  COUNTERSIGN_TOOLS_SHELL_MAX_TIMEOUT: '600',
}
const patience = { timeoutMs: 120_000 }

/** Processes apart, Ada in her chat, and somebody who knows the queue's password. */
export interface Scene extends AsyncDisposable {
  readonly apart: Apart
  readonly attacker: Attacker
  readonly chat: ReturnType<Apart['telegram']['privateChat']>
  /** The processes that live, workers last. */
  readonly programs: readonly RealProgram[]
  /** Those of the worker `default`. */
  readonly workers: readonly RealProgram[]
  /** What commands have been asked to write into the counter file, one word each. */
  readonly counted: readonly string[]
  /** A command that counts once under a word nobody has used, then does what else it is to do. Ada will approve it. */
  counting(word: string, more?: string): string
  /** Starts processes and waits until they serve. */
  start(...roles: readonly Role[]): Promise<readonly RealProgram[]>
  /** Workers take nothing and say nothing until they are resumed. */
  pauseWorkers(): void
  resumeWorkers(): void
  /** Ada wants a command run; answers its card. */
  ask(command: string): Promise<{ readonly id: number }>
  approve(card: { readonly id: number }): void
  /** Until the bot has said what came of it. */
  answered(command: string): Promise<void>
  /** Asked, approved, run, answered: a command that counts once under that word. */
  order(word: string): Promise<void>
  call(command: string): Promise<ToolCallRow>
  /** Waits until the call is in that state. */
  untilCall(command: string, state: ToolCallRow['state']): Promise<ToolCallRow>
  /** The turn that Ada's last order began, once it has been claimed. */
  turn(): Promise<ClaimedTurn>
  /** Audit rows of that kind so far. */
  audited(kind: AuditKind): Promise<number>
  untilAudited(kind: AuditKind, count: number): Promise<void>
  /** Every replica that was heard of, waiting until there are so many. */
  replicas(count: number): Promise<readonly WorkerRow[]>
  /** What commands of Ada's conversation find in their workspace. */
  putFile(name: string, text?: string): Promise<void>
}

/** As anybody can read it in the queue and on the bus. */
export interface ClaimedTurn {
  readonly conversationId: string
  readonly turnId: string
  readonly epoch: number
}

export async function createScene(): Promise<Scene> {
  await using resources = new AsyncDisposableStack()
  const apart = resources.use(await createApart({ settings: patientShell }))
  const attacker = resources.use(await createAttacker(apart.redis.url))
  const { place, telegram } = apart
  const chat = telegram.privateChat(ada)
  const counted: string[] = []
  const started: { readonly role: Role; readonly program: RealProgram }[] = []
  const living = (...roles: readonly Role[]) =>
    started
      .filter(({ role, program }) => roles.includes(role) && program.child.exitCode === null)
      .map(({ program }) => program)
  const scene: Scene = {
    apart,
    attacker,
    chat,
    counted,
    get programs() {
      return living(...roles)
    },
    get workers() {
      return living('worker')
    },
    counting: (word, more) => {
      counted.push(word)
      const count = `echo ${word} >> counter`
      return more === undefined ? count : `${count}; ${more}`
    },
    pauseWorkers: () => {
      for (const { child } of living('worker')) child.kill('SIGSTOP')
    },
    resumeWorkers: () => {
      for (const { child } of living('worker')) child.kill('SIGCONT')
    },
    start: async (...wanted) => {
      const programs = wanted.map((role) => apart.start(role))
      started.push(
        ...programs.map((program, index) => ({ role: wanted[index] ?? 'worker', program })),
      )
      const ready = programs.map((program, index) =>
        untilReady(apart, wanted[index] ?? 'worker', program),
      )
      await Promise.all(ready)
      return programs
    },
    ask: (command) => {
      chat.send(ada, `run: ${command}`)
      const isCard = ({ text }: { readonly text: string }) =>
        text.startsWith('❯') && text.includes(command)
      return chat.waitForMessage(isCard, { ...patience, what: `the card of ${command}` })
    },
    approve: (card) => void chat.tap(ada, card.id, 'Approve'),
    answered: async (command) => {
      await chat.waitForText(`finished: run: ${command}`, patience)
    },
    order: async (word) => {
      const command = scene.counting(word)
      scene.approve(await scene.ask(command))
      await scene.answered(command)
    },
    call: (command) => place.look((db) => findCall(db, command)),
    untilCall: (command, state) =>
      place.until(`the call is ${state}: ${command}`, async (db) => {
        const call = await findCall(db, command)
        return call.state === state ? call : undefined
      }),
    turn: () => place.until('a turn was claimed', findLastTurn),
    audited: (kind) => place.look((db) => countAudited(db, kind)),
    untilAudited: async (kind, count) => {
      await place.until(`${count} rows ${kind}`, async (db) =>
        (await countAudited(db, kind)) >= count ? true : undefined,
      )
    },
    replicas: (count) =>
      place.until(`${count} replicas said hello`, async (db) => {
        const rows = await db.selectFrom('worker').selectAll().orderBy('replica').execute()
        return rows.length >= count ? rows : undefined
      }),
    putFile: async (name, text = '') => {
      const { id } = await place.look((db) =>
        db.selectFrom('conversation').select('id').executeTakeFirstOrThrow(),
      )
      const workspace = join(place.dataDir, 'workspaces', id)
      mkdirSync(workspace, { recursive: true })
      writeFileSync(join(workspace, name), text)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
  const open = resources.move()
  return scene
}

async function findCall(db: Db, command: string): Promise<ToolCallRow> {
  return db
    .selectFrom('tool_call')
    .selectAll()
    .where('arguments', '=', JSON.stringify({ command }))
    .executeTakeFirstOrThrow()
}

async function findLastTurn(db: Db): Promise<ClaimedTurn | undefined> {
  return db
    .selectFrom('turn')
    .innerJoin('session', 'session.id', 'turn.session_id')
    .select(['turn.id as turnId', 'turn.epoch', 'session.conversation_id as conversationId'])
    .where('turn.epoch', '>', 0)
    .orderBy('turn.id', 'desc')
    .executeTakeFirst()
}

async function countAudited(db: Db, kind: AuditKind): Promise<number> {
  const rows = await db.selectFrom('audit_log').select('id').where('kind', '=', kind).execute()
  return rows.length
}
