import { realpathSync } from 'node:fs'
import { Argument, type Command, Option } from 'commander'
import type { Environment } from '../../config/env.ts'
import { CommandError } from '../../domain/command-error.ts'
import type { Invocation } from '../invocation.ts'
import { print, printError } from '../print.ts'
import { type Service, serviceFacts, services, unitText } from './systemd-unit.ts'

interface Options {
  readonly user?: string
  readonly directory: string
  readonly credentials?: string
  readonly secret?: readonly string[]
}

export function addSystemdCommand(program: Command, { environment }: Invocation): void {
  program
    .command('systemd')
    .description('Print a hardened unit for systemd, for Countersign or one of its processes.')
    .addArgument(
      new Argument('[service]', 'what it runs').choices(services).default('start' as const),
    )
    .option('--user <name>', 'user it runs as; countersign, or countersign-SERVICE')
    .option('--directory <path>', 'directory of countersign.toml', '/etc/countersign')
    .option('--credentials <path>', 'directory of its secrets; /etc/countersign/SERVICE')
    .addOption(
      new Option('--secret <variable...>', 'secrets to pass; by default those set here').argParser(
        (value, past: readonly string[] = []) => [...past, value],
      ),
    )
    .addHelpText('after', help)
    .action(async (service: Service, options: Options) => {
      const secrets = options.secret ?? setHere(service, environment)
      const unit = checked({ service, secrets, options })
      await print(unitText(unit))
      const hidden = [...unit.program, unit.directory].filter((word) => hiddenPlaces.test(word))
      for (const path of hidden) {
        await printError(
          `warning: the service does not see ${path}: its unit hides home and temporary directories\n`,
        )
      }
    })
}

function setHere(service: Service, environment: Environment): readonly string[] {
  const isSet = (name: string) => (environment.get(name) ?? '') !== ''
  return serviceFacts[service].takes.filter((name) => isSet(name) || isSet(`${name}_FILE`))
}

interface Request {
  readonly service: Service
  readonly secrets: readonly string[]
  readonly options: Options
}

/** Throws a CommandError where a value would mean something else in a unit, or would not be used. */
function checked({ service, secrets, options }: Request) {
  const { directory, credentials = `/etc/countersign/${service}` } = options
  const user = options.user ?? (service === 'start' ? 'countersign' : `countersign-${service}`)
  if (!/^[a-z_][a-z0-9_-]{0,30}$/.test(user)) throw wrong(`${user} is not the name of a user`)
  const program = [process.execPath, ...process.execArgv, realpathSync(process.argv[1] ?? '')]
  for (const path of [directory, credentials, process.execPath, program.at(-1) ?? '']) {
    if (/^\/[\w./+@-]*$/.test(path)) continue
    throw wrong(
      `${path} cannot stand in a unit: expected an absolute path of letters, digits and . _ + @ -`,
    )
  }
  const { takes } = serviceFacts[service]
  const unknown = secrets.filter((name) => !takes.includes(name))
  if (unknown.length > 0) {
    throw wrong(`${service} takes no ${unknown.join(', ')}: expected ${takes.join(', ')}`)
  }
  return { service, secrets, user, directory, credentials, program }
}

function wrong(words: string): CommandError {
  return new CommandError(words, { code: 'USAGE' })
}

/** By `ProtectHome` and `PrivateTmp`. */
const hiddenPlaces = /^\/(?:home|root|run\/user|tmp|var\/tmp)\//

const help = `
One service for everything, on a machine with bubblewrap, as root:

  $ useradd --system --no-create-home --shell /usr/sbin/nologin countersign
  $ install -d -m 700 /etc/countersign/start
  $ install -m 600 token /etc/countersign/start/telegram-bot-token
  $ countersign systemd start --secret TELEGRAM_BOT_TOKEN > /etc/systemd/system/countersign.service
  $ systemctl daemon-reload && systemctl enable --now countersign

Each secret is a file of root's in --credentials, named as its variable in lower case with
dashes (telegram-bot-token); keys are named as keys new names them. systemd hands the
service a copy that no other process can read. Data are in /var/lib/countersign.

For a system call filter and the rest of the hardening see the unit:

  $ countersign systemd agent > countersign-agent.service
  $ systemd-analyze security --offline=true countersign-agent.service

Exit codes: 0 printed, 2 wrong usage.`
