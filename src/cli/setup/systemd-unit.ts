/** A process that systemd can run: everything in one, or one of the processes that run apart (PROC-01). */
export const services = ['start', 'gateway', 'agent', 'worker'] as const
export type Service = (typeof services)[number]

/** What a unit is written for. All paths are absolute. */
export interface UnitOptions {
  readonly service: Service
  /** The words that start the program, its command aside. */
  readonly program: readonly string[]
  readonly user: string
  /** The working directory, where `countersign.toml` is looked for. */
  readonly directory: string
  /** Where root keeps a file for each secret. */
  readonly credentials: string
  /** Variables of secrets that the service is given beside those that it cannot do without. */
  readonly secrets: readonly string[]
}

interface ServiceFacts {
  readonly about: string
  /** Variables of secrets and keys without which it does not start. */
  readonly needs: readonly string[]
  /** Variables of secrets that it can use. */
  readonly takes: readonly string[]
  readonly listen?: string
  /** It runs commands in boxes, which takes namespaces, mounts and a `/proc` of their own. */
  readonly makesBoxes: boolean
}

const chats = [
  'TELEGRAM_BOT_TOKEN',
  'SLACK_BOT_TOKEN',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
] as const
const models = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'] as const
const traces = 'OTEL_EXPORTER_OTLP_HEADERS'

export const serviceFacts: Readonly<Record<Service, ServiceFacts>> = {
  start: {
    about: 'Countersign',
    needs: [],
    takes: ['DATABASE_URL', 'REDIS_URL', ...chats, ...models, traces],
    makesBoxes: true,
  },
  gateway: {
    about: 'Countersign gateway: chat platforms and the API',
    needs: ['DATABASE_URL', 'REDIS_URL'],
    takes: [...chats, traces],
    listen: '127.0.0.1:8420',
    makesBoxes: false,
  },
  agent: {
    about: 'Countersign agent: turns, the gate and approvals',
    needs: [
      'DATABASE_URL',
      'REDIS_URL',
      'COUNTERSIGN_ENROLMENT_SECRET',
      'COUNTERSIGN_SIGNING_KEY',
      'COUNTERSIGN_VERIFY_KEYS',
    ],
    takes: [...models, traces],
    listen: '127.0.0.1:8421',
    makesBoxes: false,
  },
  worker: {
    about: 'Countersign worker: tool calls in boxes',
    needs: ['REDIS_URL', 'COUNTERSIGN_WORKER_TOKEN', 'COUNTERSIGN_VERIFY_KEYS'],
    takes: [traces],
    listen: '127.0.0.1:8422',
    makesBoxes: true,
  },
}

/** Files as `countersign keys new` names them; other secrets are called as their variable, in lower case with dashes. */
const keyFiles: ReadonlyMap<string, string> = new Map([
  ['COUNTERSIGN_ENROLMENT_SECRET', 'enrolment-secret'],
  ['COUNTERSIGN_SIGNING_KEY', 'signing-key.pem'],
  ['COUNTERSIGN_VERIFY_KEYS', 'verify-keys.pem'],
  ['COUNTERSIGN_WORKER_TOKEN', 'worker-token'],
])

/** The name of the unit's file. */
export function unitName(service: Service): string {
  return service === 'start' ? 'countersign.service' : `countersign-${service}.service`
}

/** The text of a unit for systemd 250 or newer. */
export function unitText(options: UnitOptions): string {
  const { service, program, user, directory } = options
  const { about, makesBoxes } = serviceFacts[service]
  const state = unitName(service).replace('.service', '')
  return `${[
    `# ${unitName(service)}`,
    '[Unit]',
    `Description=${about}`,
    'Wants=network-online.target',
    'After=network-online.target',
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${[...program, service].join(' ')}`,
    `User=${user}`,
    `WorkingDirectory=${directory}`,
    `StateDirectory=${state}`,
    'StateDirectoryMode=0700',
    ...environmentLines(service, state),
    ...credentialLines(options),
    '',
    '# SIGTERM to the process alone: it drains for [limits] shutdown_grace (30 s) and ends its boxes itself.',
    'KillMode=mixed',
    'TimeoutStopSec=45',
    'Restart=on-failure',
    'RestartSec=5',
    '# A configuration that is wrong stays wrong.',
    'RestartPreventExitStatus=2',
    '',
    ...hardening,
    ...(makesBoxes ? forBoxes : withoutBoxes),
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ].join('\n')}\n`
}

function environmentLines(service: Service, state: string): readonly string[] {
  const { listen, makesBoxes } = serviceFacts[service]
  return [
    'Environment=NODE_ENV=production',
    `Environment=COUNTERSIGN_DATA_DIR=%S/${state}`,
    'Environment=COUNTERSIGN_LOGGING_FORMAT=json',
    ...(listen === undefined ? [] : [`Environment=COUNTERSIGN_HTTP_LISTEN=${listen}`]),
    // Without it a machine that has lost its bubblewrap would run commands that nothing confines.
    ...(makesBoxes ? ['Environment=COUNTERSIGN_SANDBOX_DRIVER=bubblewrap'] : []),
  ]
}

/** The service reads copies in a directory of its own, that no other process sees; root keeps the files. */
function credentialLines({ service, credentials, secrets }: UnitOptions): readonly string[] {
  return [...serviceFacts[service].needs, ...secrets].flatMap((variable) => {
    const file = keyFiles.get(variable) ?? variable.toLowerCase().replaceAll('_', '-')
    return [
      `LoadCredential=${file}:${credentials}/${file}`,
      `Environment=${variable}_FILE=%d/${file}`,
    ]
  })
}

/** What holds for each of them. `MemoryDenyWriteExecute` is missing, since V8 compiles at run time. */
const hardening = [
  'UMask=0077',
  'NoNewPrivileges=yes',
  'CapabilityBoundingSet=',
  'ProtectSystem=strict',
  'ProtectHome=yes',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'ProtectClock=yes',
  'ProtectKernelModules=yes',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'RemoveIPC=yes',
  'KeyringMode=private',
  'SystemCallArchitectures=native',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
]

const forBoxes = [
  '# Boxes are made by bubblewrap: namespaces, mounts, and a /proc that nothing covers. Hence no RestrictNamespaces,',
  '# PrivateUsers, ProtectProc, ProtectHostname, ProtectKernelTunables or ProtectKernelLogs. Their memory and processors are',
  '# limited by control groups below this one.',
  'Delegate=yes',
  'SystemCallFilter=@system-service @mount sethostname',
  'SystemCallErrorNumber=EPERM',
]

const withoutBoxes = [
  'PrivateUsers=yes',
  'ProtectProc=invisible',
  'ProcSubset=pid',
  'ProtectHostname=yes',
  'ProtectControlGroups=yes',
  'ProtectKernelTunables=yes',
  'ProtectKernelLogs=yes',
  'RestrictNamespaces=yes',
  'SystemCallFilter=@system-service',
  'SystemCallFilter=~@privileged @resources',
  'SystemCallErrorNumber=EPERM',
]
