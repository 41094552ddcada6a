import type { Catalogue } from '../en/en.ts'
import { createFormat } from '../language.ts'

const { counted, number } = createFormat('es')

const layers = {
  agent: 'una regla del agente',
  operator: 'una regla del operador',
  worker: 'una regla del worker',
  session: 'una regla de la sesión',
} as const

export const cards: Catalogue['cards'] = {
  noNetwork: 'Los comandos no tienen red aquí: es probable que falle.',
  editedBy: ({ name, before }) => `${name} lo cambió; el modelo pidió: ${before}`,
  unconfined: {
    files:
      'los comandos pueden leer y cambiar todo lo que puedes tú, también las claves de Countersign',
    network:
      'los comandos pueden acceder a la red; los programas de red solo se rechazan por su nombre, lo que es más débil',
    limits: 'aquí no hay límites de memoria ni de procesos',
  },
  boxes: {
    ownUser:
      'los comandos se ejecutan como un usuario propio, pero comparten los archivos que todos pueden leer y la red de esta máquina',
    memory: 'aquí la memoria no tiene límite',
    memoryGroup:
      'aquí la memoria no tiene límite: Countersign no tiene un grupo de control (versión 2)',
    memoryEngine:
      'aquí la memoria no tiene límite: el motor no tiene un grupo de control para ella',
    processesEngine:
      'aquí los procesos no tienen límite: el motor no tiene un grupo de control para ellos',
    processorsEngine:
      'aquí los procesadores no tienen límite: el motor no tiene un grupo de control para ellos',
    filter:
      'aquí no funciona ningún filtro de llamadas al sistema: los bits setuid se quitan solo al terminar una llamada',
    namespaces:
      'los comandos pueden crear espacios de nombres de usuario dentro de su caja: bwrap --disable-userns no funciona aquí',
  },
  namedBoxes: {
    image: ({ name }) =>
      `la imagen ${name} no viene del Dockerfile de esta versión: los comandos pueden rastrear lo que los ejecuta y responder en su lugar`,
    network: ({ name }) => `los comandos alcanzan todo lo que alcanza la red ${name} del motor`,
  },
  anyArguments: '(cualquier argumento)',
  cancelReasons: {
    stopped: 'detenido',
    cleared: 'limpiado',
    failed: 'el turno falló',
    expired: 'caducó una aprobación',
    edited: 'cambiado y preguntado otra vez',
    changed: 'lo que se aprobó ha cambiado',
    approvers: 'han cambiado las reglas sobre quién puede aprobar',
    objection: 'una revisión se opone',
    restored: 'restaurado de una copia de seguridad',
  },

  runsFile: ({ path, bytes, sha256 }) =>
    `Ejecuta ${path}: ${counted(bytes, 'byte', 'bytes')}, SHA-256 ${sha256}; no se ejecuta si cambia`,
  runsUnreadFile: ({ path }) => `Ejecuta ${path}: no se puede leer, así que nadie ve si cambia`,
  mayChange: ({ path }) => `ejecuta ${path}, que no se puede leer: puede cambiar`,
  noDiff: ({ why }) => `No se pudo hacer un diff: ${why}`,
  filesUnseen: ({ why }) =>
    `Ejecuta archivos del espacio de trabajo, que pueden cambiar hasta entonces; no se pudieron comprobar: ${why}`,
  workerSilent: 'el worker no respondió a tiempo',

  fileParts: {
    effects: 'qué hace',
    reasons: 'por qué',
    always: '«Siempre» permitiría',
    warning: 'aviso',
  },
  fileCall: ({ end, call }) => `la llamada, hasta ${end}:\n${call}`,
  fileEnd: 'el final del archivo',
  fileEndOf: ({ number: approval }) => `el final de la aprobación ${approval}`,
  fileHeading: ({ number: approval }) => `Aprobación ${approval}`,
  risk: ({ risk }) => `riesgo ${{ low: 'bajo', medium: 'medio', high: 'alto' }[risk]}`,
  lines: ({ count }) => counted(count, 'línea', 'líneas'),
  moreEffects: ({ count }) => `y ${count} efectos más están en el archivo`,
  moreInFile: ({ count }) => `y ${count} más en el archivo`,
  excerptGap: ({ lines, characters }) =>
    `⋯ ${lines > 1 ? `${number(lines)} líneas, ` : ''}${counted(characters, 'carácter', 'caracteres')} más en el archivo ⋯`,
  tooLarge: ({ megabytes }) =>
    `Lo que haría esta llamada ocupa ${number(megabytes)} MB, más de lo que se puede mostrar. Solo se puede denegar.`,

  asks: {
    rule: ({ about, layer }) => `${about}: ${layers[layer]} manda preguntar`,
    none: ({ about }) => `${about}: ninguna regla coincide`,
    unconfined: ({ about }) =>
      `${about}: aquí los comandos se ejecutan sin sandbox, y ninguna regla nombra este`,
    undecided: ({ about }) => `${about}: los argumentos no dicen si esta regla se aplica`,
    person: ({ about }) =>
      `${about} exige una persona en cada llamada, así que ninguna regla puede permitirla`,
  },
  outcomes: {
    done: 'hecho',
    failed: ({ why }) => `falló: ${why}`,
    exit: ({ code }) => `salida ${code}`,
    failedExit: ({ code }) => `falló: salida ${code}`,
    denied: 'denegado',
    cancelled: 'cancelado',
    interrupted: 'interrumpido',
    open: 'sin terminar',
  },
  errors: {
    tool_not_found: 'no existe la herramienta',
    invalid_parameters: 'argumentos no válidos',
    type_mismatch: 'un argumento es del tipo equivocado',
    policy_blocked: 'no se permite aquí',
    confirmation_required: 'no se pudo preguntar a nadie',
    permanent_failure: 'así no puede funcionar',
    cancelled: 'se detuvo',
    rate_limited: 'demasiadas peticiones',
    server_error: 'falló el otro lado',
    network_error: 'falló la red',
    timeout: 'tardó demasiado',
  },
  exits: {
    124: 'tiempo agotado',
    126: 'no ejecutable',
    127: 'comando no encontrado',
    130: 'interrumpido',
    134: 'abortado',
    137: 'matado',
    139: 'se estrelló',
    143: 'terminado',
  },
  failures: {
    no_file: 'no existe el archivo',
    no_permission: 'permiso denegado',
    disk_full: 'el disco está lleno',
    read_only: 'el sistema de archivos es de solo lectura',
    no_host: 'host no encontrado',
    refused: 'conexión rechazada',
    no_repository: 'no es un repositorio git',
  },

  does: {
    execute: 'ejecutar un comando',
    read: 'leer un archivo',
    edit: 'cambiar un archivo',
    search: 'buscar en archivos',
    fetch: 'descargar una página web',
    move: 'mover archivos',
    create_folder: 'crear una carpeta',
    delete: 'borrar archivos',
    write: 'escribir un archivo',
    store: 'guardar un archivo',
    undo: 'deshacer cambios',
    copy: 'copiar archivos',
  },
  useTool: ({ tool }) => `usar la herramienta ${tool}`,
}
