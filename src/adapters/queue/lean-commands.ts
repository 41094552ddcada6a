type Values = readonly unknown[]
interface Result {
  readonly rows: unknown[]
  readonly rowCount: number | null
}

/** Statement for pg, prepared once on each connection. */
export interface NamedStatement {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}

/** Replacement for one command of BullMQ. */
interface LeanCommand {
  /** Whether the replacement does all that these values ask for. */
  readonly suits: (values: Values) => boolean
  readonly text: string
  /** Positions of the command's values that the text uses, from 0. */
  readonly uses: readonly number[]
  /** BullMQ's own result; undefined if BullMQ's command has to tell why nothing was done. */
  readonly read: (result: Result) => Result | undefined
}

const asIs = (result: Result): Result => result

function isJob(row: unknown): boolean {
  return typeof row === 'object' && row !== null && 'id' in row && row.id !== null
}

/** Takes the oldest waiting job: $1 queue, $2 token, $3 lock in milliseconds, $4 now, $5 worker. */
const take = `update job set state = 'active', lock_token = $2, locked_until_ms = $4::bigint + $3::bigint,
  processed_at_ms = $4::bigint, processed_by = $5, attempts_started = attempts_started + 1
  where queue = $1 and id = (select id from job where queue = $1 and state = 'waiting'
    order by priority, seq for update skip locked limit 1)
  and not exists (select from meta where queue = $1 and field = 'paused' and value = '1')`

/** By the name of BullMQ's function. */
const commands: Readonly<Record<string, LeanCommand>> = {
  add_job: {
    suits: ([, id, , , , priority, delay, , , ...rest]) =>
      id !== '' && priority === 0 && delay === 0 && rest.every((value) => !value),
    text: `with added as (
        insert into job (queue, id, seq, name, state, data, opts, added_at_ms, max_attempts)
        values ($1, $2, nextval('job_seq'), $3, 'waiting', $4::jsonb, $5::jsonb, $6::bigint, $7::integer)
        on conflict (queue, id) do nothing returning queue)
      select $2::text as id, case when queue is not null then pg_notify('bullmq_jobs', queue) end
      from (select) as always left join added on true`,
    uses: [0, 1, 2, 3, 4, 7, 8],
    read: asIs,
  },
  move_to_active: {
    suits: ([, , , , , limiterMax]) => limiterMax === null,
    text: `${take} returning *`,
    uses: [0, 1, 2, 3, 4],
    read: asIs,
  },
  move_to_completed: {
    suits: ([, , , , , removesAll]) => removesAll === true,
    text: `delete from job where queue = $1 and id = $2 and state = 'active' and lock_token = $3
      returning $4::bigint as finished_on`,
    uses: [0, 1, 2, 4],
    read: (result) => (result.rows.length === 0 ? undefined : result),
  },
  move_to_completed_fetch: {
    suits: ([, , , , , removesAll, , , , , , limiterMax]) =>
      removesAll === true && limiterMax === null,
    text: `with done as (
        delete from job where queue = $1 and id = $6 and state = 'active' and lock_token = $2 returning id),
      taken as (${take} and exists (select from done) returning *)
      select taken.* from done left join taken on true`,
    uses: [0, 2, 8, 9, 10, 1],
    read: (result) =>
      result.rows.length === 0 ? undefined : { ...result, rows: result.rows.filter(isJob) },
  },
}

/**
 * Runs a command of BullMQ on Postgres (`text` and `values` as it sends them) by `query`; undefined if it has to be sent as it
 * is. BullMQ's functions serve queues of every kind, and write four events for each job. Queues here have no limits, delays,
 * parents or readers of events, and their jobs are removed at the end: one statement does the same to the table of jobs at a
 * fifth of the cost.
 */
export async function runLean(
  text: string,
  values: Values,
  query: (statement: NamedStatement) => Promise<Result>,
): Promise<Result | undefined> {
  const name = nameOf(text)
  const command = commands[name]
  if (command?.suits(values) !== true) return undefined
  const used = command.uses.map((position) => values[position])
  return command.read(await query({ name: `lean_${name}`, text: command.text, values: used }))
}

const names = new Map<string, string>()

/** Name of the function that a command of BullMQ calls; '' if it does not only call one. */
function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const withoutComments = text.replaceAll(/^--.*$/gm, '').trim()
  const name = /^select (?:\* from )?(\w+)\(/i.exec(withoutComments)?.[1] ?? ''
  names.set(text, name)
  return name
}
