/** What an error code stands for. Sentences are complete and English. */
export interface ErrorFacts {
  /** Exit code of a command that ends with it: 1 for a failure, 2 for wrong usage or configuration. */
  readonly exitCode: 1 | 2
  readonly meaning: string
  readonly remedy: string
}

function failure(meaning: string, remedy: string): ErrorFacts {
  return { exitCode: 1, meaning, remedy }
}

function usage(meaning: string, remedy: string): ErrorFacts {
  return { exitCode: 2, meaning, remedy }
}

/** DOC-03: codes of errors that end a command or a service. They are stable, so that scripts may read them. */
export const errorCodes = {
  ALREADY_RUNNING: failure(
    'Countersign is running on this data directory.',
    'Stop it, then run the command again.',
  ),
  AUDIT_KEPT_FOREVER: usage(
    'Nothing may be dropped from the audit, as `[audit] retention_days` is 0.',
    'Set `retention_days`, or give `--days`.',
  ),
  BACKUP_INVALID: failure(
    'The file is not a whole backup, or holds paths that may not be restored.',
    'Use another backup; nothing was changed.',
  ),
  BACKUP_NEWER: failure(
    'A newer version of Countersign made the backup.',
    'Install that version, then restore.',
  ),
  BACKUP_NOT_QUIET: failure(
    'The backup was made while the product ran, so it may not start as a moved installation.',
    'Leave out `--moved`, or stop the product, make a new backup, and restore that one.',
  ),
  BACKUP_OTHER_LINEAGE: failure(
    'The backup comes from another line of versions: its tables differ from those of this version.',
    'Restore with `--by-column`, which takes along what both have.',
  ),
  BACKUP_PLACE: failure(
    'The backup would lie where tools can read it, and it holds the signing key.',
    'Name a file outside of workspaces.',
  ),
  BACKUP_RUNNING: failure(
    'Another backup to the same file is running or was broken off.',
    'Wait for it, or remove the partial file that the message names.',
  ),
  CHECKPOINT_MISSING: usage(
    'The file holds no checkpoint of the audit.',
    'Take a checkpoint line from the log.',
  ),
  CONFIG_INVALID: usage(
    'The configuration has problems. Each is listed with file, line and key.',
    'Correct what is listed; `countersign doctor` checks it without a start.',
  ),
  DATABASE_EXTERNAL: failure(
    'The database is not the embedded one.',
    'Use the address in `DATABASE_URL`.',
  ),
  DATABASE_FAILED: failure(
    'PostgreSQL reported a failure of its own, such as a full disk or too many connections.',
    'Read the message, and the log of PostgreSQL.',
  ),
  DATABASE_IN_USE: failure(
    'Other processes use the database, or another restore into it is running.',
    'Stop them, then run the command again.',
  ),
  DATABASE_LOGIN: failure('PostgreSQL refuses the user or the password.', 'Check `DATABASE_URL`.'),
  DATABASE_MISSING: failure(
    'The server has no database of this name.',
    'Check `DATABASE_URL`, or create the database.',
  ),
  DATABASE_OTHER_VERSION: failure(
    'Another version or another line of versions made the database, or a restore into it was broken off.',
    'Start the version that the message names, or run `countersign restore` again.',
  ),
  DATABASE_OUTDATED: failure(
    'The database lacks migrations of this version.',
    'Run `countersign migrate` as the owner of the database.',
  ),
  DATABASE_RIGHTS: failure(
    'The role of this process may not do that in the database.',
    'Check its rights, or run `countersign migrate` as the owner.',
  ),
  DATABASE_ROLE: failure(
    'The role of `COUNTERSIGN_APP_DATABASE_URL` could not be created or given a password.',
    'Create it by hand, or run `countersign migrate` as a role that may create roles.',
  ),
  DATABASE_UNREACHABLE: failure(
    'The database does not answer, or is starting or stopping.',
    'Check `DATABASE_URL`, the network, and that PostgreSQL runs; then try again.',
  ),
  DATA_DIRECTORY_IN_USE: failure(
    'Another live process holds the data directory.',
    'Stop it, or choose another directory by `COUNTERSIGN_DATA_DIR`.',
  ),
  DATA_DIRECTORY_UNUSABLE: usage(
    'The data directory cannot be created or written.',
    'Choose another one by `data_dir` or `COUNTERSIGN_DATA_DIR`, or change its rights.',
  ),
  EDITOR_FAILED: failure(
    'The editor ended with a failure, so nothing was saved.',
    'Set `EDITOR` or `VISUAL` to an editor that waits until you close it.',
  ),
  FILE_EXISTS: failure(
    'A file that would be written exists.',
    'Name another directory, or use `--keep`.',
  ),
  FILE_FAILED: failure(
    'The operating system refused to read or write a file; the message names it.',
    'Check the path, its rights, and the space on the disk.',
  ),
  HTTP_LISTEN: failure(
    'The address of `[http] listen` cannot be used, mostly as another program uses it.',
    'Stop that program, or choose another address.',
  ),
  INSTALLATION_CHANGED: failure(
    'The installation was replaced or removed while the process ran.',
    'Start it again.',
  ),
  INSTALLATION_UNUSABLE: usage(
    'Node is too old, or files of the installation are missing.',
    'Install Node 22.19 or newer, or install Countersign again.',
  ),
  INTERNAL: failure('A fault of Countersign.', 'Report it with the lines that are printed.'),
  KEYS_INCOMPLETE: failure(
    'A file of keys is missing, or does not belong to the others.',
    'Restore it, or make it as the message says.',
  ),
  KEYS_UNUSABLE: usage(
    'A file of keys cannot be read or parsed.',
    'Check the file that the message names; `countersign keys` makes new ones.',
  ),
  MODEL_FAILED: failure(
    'The model did not answer, or not with an answer that could be used.',
    'Try again; `countersign doctor` asks the model for a word.',
  ),
  MODEL_REFUSED: usage(
    'The provider of the model refused the key or the request, or the key is missing.',
    'Check `[model]` and the key of the provider.',
  ),
  NAME_TAKEN: failure(
    'A program has this name, or one that reads alike.',
    'Choose another name, or revoke the token of the other program.',
  ),
  NO_DATABASE: failure(
    'The data directory holds no database.',
    'Run `countersign start` first, or name the directory by `COUNTERSIGN_DATA_DIR`.',
  ),
  NO_TERMINAL: usage(
    'The command needs a terminal.',
    'Run it in one, or use the command that the message names.',
  ),
  NOT_DATABASE_OWNER: failure(
    'Only the owner of the database may drop rows of the audit.',
    'Set `DATABASE_URL` to the owner for this command.',
  ),
  NOT_LINKED: failure(
    'The account is linked with no other account.',
    '`countersign pair list` shows linked accounts.',
  ),
  NOT_PAIRED: failure(
    'The person has no role by pairing.',
    '`countersign pair list` shows who has one; roles of the configuration are changed there.',
  ),
  NOT_READY: failure(
    'A product that starts or stops on this data directory took too long.',
    'Try again, or stop the process that holds the data directory.',
  ),
  NOT_RUNNING: failure(
    'The embedded database runs only while Countersign does.',
    'Run `countersign start` first.',
  ),
  NPM_FAILED: failure(
    'The newest version could not be asked for at npm.',
    'Check that npm is installed and reaches its registry.',
  ),
  PERSON_BUSY: failure(
    'A turn of the person is still running.',
    'Wait for it or stop it, then forget the person.',
  ),
  PLATFORM_REFUSED: failure(
    'Telegram or Slack refused the token or the settings of the bot.',
    'Follow the message; `countersign doctor` checks the tokens.',
  ),
  POSTGRES_UNUSABLE: failure(
    'The embedded PostgreSQL cannot run here.',
    'Follow the message, or use a server of your own by `DATABASE_URL`.',
  ),
  REDIS_UNUSABLE: failure(
    'Redis cannot be used as it is configured.',
    'Check `REDIS_URL`, and the settings of Redis that the message names.',
  ),
  RESTORE_FAILED: failure(
    'The restore did not finish. The product does not start before it has.',
    'Correct what the message names, and run the same restore again.',
  ),
  RESTORE_TARGET: failure(
    'The target of the restore holds data, or cannot be written.',
    'Empty it, use `--force`, or name another target.',
  ),
  RULES_CHANGED: failure(
    'Somebody else changed the rules at the same time; they stay as they are now.',
    'Look at the rules, then make your change again.',
  ),
  RULES_INVALID: usage(
    'A file of rules has problems. Each is listed with file and line.',
    'Correct what is listed.',
  ),
  RULES_NOT_SAVED: failure(
    'The rules were not saved, as an example fails, they are invalid, or you chose not to.',
    'Correct them; `--force` saves them in spite of failed examples.',
  ),
  RULES_UNREADABLE: usage('The file of rules cannot be read.', 'Check the path and its rights.'),
  SANDBOX_UNAVAILABLE: failure(
    'No box can be made for tools.',
    'Follow the message; `countersign doctor` checks the driver.',
  ),
  SECRET_UNUSABLE: usage(
    'A secret is not set, or is easy to guess.',
    'Set it as the message says; `countersign keys` makes one.',
  ),
  UNKNOWN_NAME: usage(
    'There is no tool, session or worker of this name.',
    'Check the spelling; the message names what is near.',
  ),
  USAGE: usage('The command, an option or a value is not valid.', 'Add `--help` to the command.'),
  WORKSPACE_UNUSABLE: usage(
    'The workspace is not named, is missing, or is not a directory.',
    'Create it, or name another one by `--workspace`.',
  ),
} satisfies Readonly<Record<string, ErrorFacts>>

/** Stable code of an error that ends a command or a service. */
export type ErrorCode = keyof typeof errorCodes

/** Meaning and remedy of a code as one clause, for a line that names the code already. */
export function clauseOf(code: ErrorCode): string {
  const { meaning, remedy } = errorCodes[code]
  return `${lowered(meaning)}: ${lowered(remedy)}`.replaceAll('`', '')
}

/** Without its full stop, and in lower case unless it starts with a name. */
function lowered(sentence: string): string {
  const text = sentence.replace(/\.$/, '')
  return /^[A-Z][a-z]+[A-Z]/.test(text) ? text : `${text.charAt(0).toLowerCase()}${text.slice(1)}`
}
