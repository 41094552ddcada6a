/** Input that database clients run: their own commands can start shells and access files. */
const runs: Readonly<Record<string, RegExp>> = {
  psql: /\\(?!(?:d[a-zA-Z+]*|l|x|z|sf|conninfo|timing|q)(?:$|[\s;+]))|\|\s*\w|`|\bcopy\b|\blo_(?:im|ex)port\b|pg_read|^--(?:f|o|log-f|set|va)/i,
  mysql:
    /\\(?!G(?:$|[\s;]))|\b(?:system|source|tee|pager|edit|outfile|dumpfile|infile|load_file|load\s+data)\b|^--(?:te|pag|init-c|def|plugin|load)/i,
  sqlite3:
    /(?:^|\n)[ \t\r\f\v]*\.(?!(?:tables|schema|databases|indexes|indices|headers?|mode|dump|help|show|stats|version|width|nullvalue|separator|timeout|quit|exit|fullschema)\b)|load_extension|writefile|readfile|edit\s*\(|fts3_tokenizer|\battach\b|\bvacuum\b|\||^--?(?:init|cmd|zip|A)/i,
  duckdb:
    /(?:^|\n)[ \t\r\f\v]*\.(?!(?:tables|schema|mode|help)\b)[a-z]|\b(?:copy|install|load|attach|export|import|pragma|getenv|set)\b|read_|glob\s*\(|(?:from|join|,)\s*(?:query|query_table|\w+_scan|\w+_metadata|sniff_\w+)\s*\(|\bchr\b|[|\\$]|^-(?:init|cmd|f|s|unsigned)|['"](?!(?:\w[\w.-]*\/)*[\w.*-]+\.(?:csv|tsv|parquet|json|jsonl|ndjson)(?:\.gz)?['"])[^'"]*[/~.][^'"]*['"]/i,
  'redis-cli':
    /^(?:eval\w*|script|function|fcall\w*|config|module|debug|slaveof|replicaof|--eval|--pipe|--rdb|--functions-rdb)$/i,
}

/** Options of psql that read or write a file, or set a variable. */
const opensFiles = /^-[a-zA-Z]*[foLv]/

const alike: Readonly<Record<string, string>> = {
  mariadb: 'mysql',
  sqlite: 'sqlite3',
  pgcli: 'psql',
  mycli: 'mysql',
}

/** Others of which nothing is known but that their words may be statements. */
const others =
  /^(?:usql|litecli|iredis|cockroach|clickhouse(?:-client)?|mongo(?:sh)?|sqlcmd|cqlsh|trino|presto|snowsql|osqueryi|isql|tsql|mssql-cli|beeline|hive|spark-sql|influx|bq|surreal|turso|libsql|sqlplus|db2)$/

/** Whether a program takes statements for a database among its words. */
export function isDatabase(program: string): boolean {
  return Object.hasOwn(alike, program) || Object.hasOwn(runs, program) || others.test(program)
}

/** Clients that treat statements on their input as those on the command line. */
const takesStatements = /^(?:psql|mysql|mariadb|sqlite3?|duckdb)$/

/** Whether a program, which none of its words gives code, runs its input as statements of a database. */
export function readsStatements(program: string): boolean {
  return takesStatements.test(program)
}

/** The reason why a database client may run commands or access files, by its input. */
export function databaseHazard(program: string, words: readonly string[]): string | undefined {
  const name = Object.hasOwn(alike, program) ? (alike[program] ?? program) : program
  const pattern = Object.hasOwn(runs, name) ? runs[name] : undefined
  const found =
    pattern !== undefined &&
    words.slice(1).some((word) => pattern.test(word) || (name === 'psql' && opensFiles.test(word)))
  return found ? `${program} is given something that runs commands or opens files` : undefined
}
