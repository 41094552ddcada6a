import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { print } from '../print.ts'

export function addKeysCommand(program: Command, invocation: Invocation): void {
  const keys = program
    .command('keys')
    .description(
      'Create the keys that sign jobs and checkpoints, and the tokens that enrol workers.',
    )
  addNew(keys, invocation)
  addToken(keys, invocation)
}

interface NewOptions {
  readonly out: string
  readonly workerOut?: string
  readonly worker?: string
  readonly keep?: true
}

function addNew(keys: Command, invocation: Invocation): void {
  keys
    .command('new')
    .description('Create a signing key, its public key, an enrolment secret and a worker token.')
    .option('--out <dir>', 'directory for the files', '.')
    .option('--worker-out <dir>', 'directory for the files of workers (default: --out)')
    .option('--worker <name>', 'worker to create a token for (default: the configured one)')
    .option('--keep', 'keep existing files, and create only missing ones')
    .addHelpText('after', newHelp)
    .action(async ({ out, workerOut = out, worker, keep }: NewOptions) => {
      const { newKeys } = await import('./new-keys.ts')
      const made = await newKeys({
        directory: resolve(invocation.cwd, out),
        workerDirectory: resolve(invocation.cwd, workerOut),
        worker: await nameOf(invocation, worker),
        keep: keep === true,
      })
      await print(
        [
          `${made.kind} key ${made.kid}`,
          `COUNTERSIGN_SIGNING_KEY_FILE=${made.signingKeyFile}`,
          `COUNTERSIGN_ENROLMENT_SECRET_FILE=${made.enrolmentSecretFile}`,
          `COUNTERSIGN_VERIFY_KEYS_FILE=${made.verifyKeysFile}`,
          `COUNTERSIGN_WORKER_TOKEN_FILE=${made.workerTokenFile}`,
          '',
        ].join('\n'),
      )
    })
}

function addToken(keys: Command, invocation: Invocation): void {
  keys
    .command('token')
    .description('Print the token that enrols replicas of one worker, and of no other.')
    .argument('[name]', 'whose (else the configured worker’s)')
    .addHelpText('after', tokenHelp)
    .action(async (name?: string) => {
      const worker = await nameOf(invocation, name)
      const config = await readConfiguration(invocation)
      const { tokenOf } = await import('./token-of.ts')
      await print(`${tokenOf(config, worker)}\n`)
    })
}

async function nameOf(invocation: Invocation, typed: string | undefined): Promise<string> {
  if (typed === undefined) return (await readConfiguration(invocation)).worker.name
  const { namedWorker } = await import('./named-worker.ts')
  return namedWorker(typed)
}

const newHelp = `
  $ npx countersign keys new --out /etc/countersign
  $ npx countersign keys new --out /keys/agent --worker-out /keys/worker --worker build --keep

It writes, for agents alone, signing-key.pem and enrolment-secret; for workers,
verify-keys.pem (public) and worker-token, which enrols replicas of the one worker that
was named. All have mode 0600 but the public one. It prints their places as variables,
and never overwrites a file. The embedded product makes keys of its own and needs none
of this.

To change keys: make new ones elsewhere, append the new public key to verify-keys.pem
of the workers, then give the new signing key to the agents. Keep old public keys in
the file: they verify older checkpoints of the audit.

Exit codes: 0 made or kept, 1 a file was there already or could not be written,
2 wrong usage or configuration.`

const tokenHelp = `
  $ npx countersign keys token build > worker-token

It needs COUNTERSIGN_ENROLMENT_SECRET, or its file in COUNTERSIGN_ENROLMENT_SECRET_FILE,
which agents have and no worker may have. The same secret and name always give the same
token; a new secret makes all of them worthless. COUNTERSIGN_WORKER_NAME, or [worker]
name, says which worker a process is.

Exit codes: 0 printed, 2 wrong usage or configuration.`
