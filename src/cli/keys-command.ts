import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Invocation } from './invocation.ts'
import { print } from './print.ts'

interface KeysOptions {
  readonly out: string
  readonly workerOut?: string
  readonly keep?: true
}

export function addKeysCommand(program: Command, invocation: Invocation): void {
  const keys = program.command('keys').description('The keys that sign jobs and checkpoints.')
  keys
    .command('new')
    .description('Make a signing key, the file of keys that verifies it, and a worker token.')
    .option('--out <dir>', 'where to put them', '.')
    .option('--worker-out <dir>', 'where to put what workers need, when that is elsewhere')
    .option('--keep', 'leave a whole set that is there already as it is')
    .addHelpText('after', help)
    .action(async ({ out, workerOut = out, keep }: KeysOptions) => {
      const { newKeys } = await import('../app/new-keys.ts')
      const directory = resolve(invocation.cwd, out)
      const workerDirectory = resolve(invocation.cwd, workerOut)
      const made = await newKeys({ directory, workerDirectory, keep: keep === true })
      await print(
        [
          `${made.kind} key ${made.kid}`,
          `COUNTERSIGN_SIGNING_KEY_FILE=${made.signingKeyFile}`,
          `COUNTERSIGN_VERIFY_KEYS_FILE=${made.verifyKeysFile}`,
          `COUNTERSIGN_WORKER_TOKEN_FILE=${made.workerTokenFile}`,
          '',
        ].join('\n'),
      )
    })
}

const help = `
  $ npx countersign keys new --out /etc/countersign
  $ npx countersign keys new --out /keys/agent --worker-out /keys/worker --keep

It writes signing-key.pem (mode 0600, for agents alone), verify-keys.pem (public, for
workers) and worker-token (mode 0600, for agents and workers: it enrols a worker), prints
their places as variables, and never overwrites a file. The embedded product makes keys of
its own and needs none of this.

To change keys: make new ones elsewhere, append the new public key to verify-keys.pem
of the workers, then give the new signing key to the agents. Keep old public keys in
the file: they verify older checkpoints of the audit.

Exit codes: 0 made or kept, 1 a file was there already or could not be written.`
