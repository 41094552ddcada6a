import { killProcessesNow } from './bash/processes.ts'
import { clearSetuid, clearSetuidNow } from './clear-setuid.ts'
import { limitProcesses } from './limit-processes.ts'
import { readSurroundings } from './own-environment.ts'
import { serve } from './serve.ts'

const surroundings = readSurroundings()
const groups = new Set<number>()
/** Where drivers start the executor. */
const workspace = process.cwd()

/** BOX-02: whatever ends the executor ends everything it started. */
function end(code: number): never {
  killProcessesNow({ groups: [...groups], marker: `${surroundings.executorId}:`, own: true })
  clearSetuidNow(surroundings, workspace)
  process.exit(code)
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => end(0))
process.stdout.on('error', () => end(0))
process.on('uncaughtException', (error) => {
  process.stderr.write(`executor: ${error.stack ?? error.message}\n`)
  end(1)
})

limitProcesses(surroundings)
// What a box left that was killed before this one.
void clearSetuid(surroundings, { workspace, allowed: [] })
await serve(process.stdin, process.stdout, surroundings, groups)
end(0)
