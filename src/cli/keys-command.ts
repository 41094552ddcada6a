import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Invocation } from './invocation.ts'
import { print } from './print.ts'

export function addKeysCommand(program: Command, invocation: Invocation): void {
  const keys = program.command('keys').description('The keys that sign jobs and checkpoints.')
  keys
    .command('new')
    .description('Make a signing key and the file of keys that verifies it.')
    .option('--out <dir>', 'where to put them', '.')
    .addHelpText('after', help)
    .action(async ({ out }: { out: string }) => {
      const { newKeys } = await import('../app/new-keys.ts')
      const made = await newKeys(resolve(invocation.cwd, out))
      await print(
        [
          `made key ${made.kid}`,
          `COUNTERSIGN_SIGNING_KEY_FILE=${made.signingKeyFile}`,
          `COUNTERSIGN_VERIFY_KEYS_FILE=${made.verifyKeysFile}`,
          '',
        ].join('\n'),
      )
    })
}

const help = `
  $ npx countersign keys new --out /etc/countersign

It writes signing-key.pem (mode 0600, for agents alone) and verify-keys.pem (public),
prints their places as variables, and never overwrites a file. The embedded product
makes a key of its own at its first start and needs none of this.

To change keys: make new ones elsewhere, append the new public key to verify-keys.pem
of the workers, then give the new signing key to the agents. Keep old public keys in
the file: they verify older checkpoints of the audit.

Exit codes: 0 made, 1 a file was there already or could not be written.`
