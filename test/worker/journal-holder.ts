import { spawn } from 'node:child_process'
import { openJournal } from '../../src/worker/job/journal.ts'
import { identify } from '../../src/worker/process-identity.ts'

// Replica in its own process: starts one call and a command for it, reports that, and waits to be killed.
const [directory = '', callId = '', idempotent = 'false'] = process.argv.slice(2)
const journal = await openJournal(directory, { replica: `holder-${process.pid}` })
const begun = await journal.begin({
  callId,
  attempt: 1,
  argumentsSha256: 'a',
  idempotent: idempotent === 'true',
  exp: 2_000_000_000,
})
const command = spawn('sh', ['-c', 'sleep 600 & sleep 600'], { detached: true, stdio: 'ignore' })
const identity = identify(command.pid ?? 0)
if (identity !== undefined) await journal.noteCommand(callId, identity)
process.stdout.write(`${JSON.stringify({ kind: begun.kind, pid: command.pid })}\n`)
setInterval(() => undefined, 60_000)
