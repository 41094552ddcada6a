import { Command } from 'commander'
import { addAuditCommand } from './audit/audit-command.ts'
import { addDoctorCommand } from './doctor/doctor-command.ts'
import { addGateCommand } from './gate/gate-command.ts'
import type { Invocation } from './invocation.ts'
import { addPairCommand } from './people/pair-command.ts'
import { addPeopleCommand } from './people/people-command.ts'
import { addPermissionsCommand } from './permissions/permissions-command.ts'
import { addBackupCommand } from './setup/backup-command.ts'
import { addDbCommand } from './setup/db-command.ts'
import { addKeysCommand } from './setup/keys-command.ts'
import { addMigrateCommand } from './setup/migrate-command.ts'
import { addRestoreCommand } from './setup/restore-command.ts'
import { addProcessCommands } from './start/process-commands.ts'
import { addStartCommand } from './start/start-command.ts'
import { addOutputCommand } from './tools/output-command.ts'
import { addToolsCommand } from './tools/tools-command.ts'
import { addTrustCommand } from './tools/trust-command.ts'
import { addVersionCommand, packageVersion } from './version-command.ts'

/** Every command with its options and help. What a command does is loaded when it runs. */
export function createProgram(invocation: Invocation): Command {
  const program = new Command('countersign')
    .description('A self-hosted chat agent whose risky tool calls wait for a person.')
    .version(packageVersion(), '-V, --version', 'print the version and nothing else')
    .helpOption('-h, --help', 'explain the program or a command')
    .helpCommand('help [command]', 'explain the program or a command')
    .addHelpText('after', examples)
    .exitOverride()
  for (const add of commands) add(program, invocation)
  return program
}

const commands = [
  addStartCommand,
  addProcessCommands,
  addDoctorCommand,
  addAuditCommand,
  addPairCommand,
  addPeopleCommand,
  addPermissionsCommand,
  addGateCommand,
  addToolsCommand,
  addOutputCommand,
  addTrustCommand,
  addKeysCommand,
  addDbCommand,
  addMigrateCommand,
  addBackupCommand,
  addRestoreCommand,
  addVersionCommand,
]

const examples = `
To begin:
  $ npx countersign doctor              is everything there that it needs?
  $ npx countersign start               talk to it, here in the terminal

Then:
  $ npx countersign audit               who did what, and who allowed it
  $ npx countersign permissions show    what runs without asking
  $ npx countersign pair                let somebody in on a chat platform
  $ npx countersign audit --help        every command explains itself

Exit codes: 0 fine, 1 failed or unhealthy, 2 wrong usage or configuration,
3 (start only) the input ended while an approval still waits.

Configuration: countersign.toml here, or the file COUNTERSIGN_CONFIG names; every
key also has a variable. Data: .countersign here, or COUNTERSIGN_DATA_DIR.`
