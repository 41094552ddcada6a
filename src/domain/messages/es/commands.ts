import type { Catalogue } from '../en/en.ts'
import { createFormat } from '../language.ts'

const { counted, number } = createFormat('es')

export const commands: Catalogue['commands'] = {
  summaries: {
    start: 'qué es esto y qué sabe hacer',
    help: 'esta lista',
    approve: 'aprobar una llamada que espera',
    always: 'aprobarla a ella y a similares desde ahora, o hasta entonces',
    deny: 'denegar una llamada que espera',
    edit: 'cambiar una llamada que espera y aprobarla',
    approvals: 'mostrar otra vez lo que espera respuesta',
    grants: 'qué está permitido sin preguntar y hasta cuándo',
    revoke: 'revocar un permiso',
    away: 'se pregunta a otros en tu lugar, para quienes aprueban',
    back: 'terminar /away',
    stop: 'detener el turno en curso',
    retry: 'continuar donde falló o se detuvo el último turno',
    undo: 'deshacer lo que cambió la última llamada',
    clear: 'empezar de nuevo y restablecer la cuota',
    link: 'un código que vincula otra cuenta tuya',
    budget: 'lo que queda para hoy; los operadores lo levantan',
    status: 'modelo, worker, cuota, tokens, qué espera',
    context: 'lo que el modelo tiene de esta conversación',
    permissions: 'qué se ejecuta sin preguntar',
    audit: 'las últimas llamadas de la auditoría',
    model: 'qué modelo responde; elegir otro',
    worker: 'dónde se ejecutan las herramientas; los operadores eligen otro',
    mcp: 'herramientas de servidores MCP; los operadores las aprueban',
    output: 'la salida de una llamada',
    upload: 'poner un archivo tuyo en el espacio de trabajo',
    shell: 'ejecutar tú un comando en la caja, sin aprobación',
  },
  placeholders: {
    reason: 'motivo',
    text: 'texto',
    name: 'nombre',
    path: 'ruta',
    command: 'comando',
  },
  intro: 'Escribe lo que quieres. Las llamadas con riesgo esperan tu respuesta.',
  hello: ({ name }) => `Hola, ${name}.`,
  unknown: ({ name }) => `No existe el comando /${name}. /help los lista.`,
  usage: ({ command }) => `Uso: ${command}`,
  notInPublic:
    'Eso no se muestra donde otros leen. Escríbeme una vez por mensaje directo y pregunta aquí de nuevo: la respuesta va allí.',
  sentInPrivate: 'Enviado a ti en un chat privado. Si no llega, escríbeme primero allí.',
  perhapsThread: 'Si te refieres a un hilo, mencióname allí y escríbelo otra vez.',
  turnRuns: 'Hay un turno en curso; espera, o detenlo con /stop.',

  edit: {
    usage:
      'Envía la nueva versión, por ejemplo /edit 2 git status: el comando en bash, una URL en herramientas web, y en otras un objeto JSON con los argumentos que cambian.',
  },
  stop: {
    nothing: 'No hay nada en curso. Las tareas en segundo plano, si las había, han terminado.',
    notYours: 'Solo puede detenerlo la persona del turno o alguien que pueda aprobar.',
    done: ({ name }) => `Detenido por ${name}.`,
    discarded: ({ what }) => `Descartado sin leer: ${what}.`,
    moreFiles: ({ count }) => counted(count, 'archivo más', 'archivos más'),
    messages: ({ count }) => counted(count, 'mensaje', 'mensajes'),
  },
  retry: {
    nothing: 'No hay nada que reintentar.',
    running: 'Hay un turno en curso; /stop lo termina.',
    notYours: 'Solo la persona de ese turno puede reintentarlo.',
  },
  undo: {
    off: 'No se guarda ningún estado que /undo pueda restaurar; los operadores pueden activarlo: transactional en [tools.shell].',
    nothing: 'Aquí aún no se ha cambiado nada.',
  },
  clear: {
    done: 'Limpio: conversación nueva y cuota restablecida. Lo que «Siempre» permitió en esta sesión ya no vale; lo que se permitió a todos se queda. Los archivos se quedan.',
    notYours:
      'Hay un turno en curso; solo puede limpiarlo la persona del turno o alguien que pueda aprobar.',
    perhapsThere: ({ what }) => `En camino, y quizá ya allí: ${what}.`,
  },
  away: {
    usage:
      'Di cuánto tiempo, por ejemplo /away 30m, /away 2h o /away 3d; sin tiempo, es hasta /back.',
    approversOnly: 'Solo pueden ausentarse quienes responden a aprobaciones de otros.',
    untilBack: ({ next }) => `Ausente hasta /back: no se te envían aprobaciones, y ${next}.`,
    until: ({ time, next }) => `Ausente hasta el ${time}: no se te envían aprobaciones, y ${next}.`,
    nobodyNext: 'no hay nadie designado en tu lugar ([approval] escalate_to)',
    next: 'se pregunta a la siguiente persona en tu lugar',
    nextAlso: ({ count }) =>
      `se pregunta a la siguiente persona en tu lugar, también por ${count} que se te mostraron`,
    notAway: 'No estabas ausente.',
    back: 'Hola de nuevo: vuelves a recibir aprobaciones.',
  },
  audit: {
    none: ({ who }) => `Aún no hay llamadas de ${who}.`,
    head: ({ who }) => `Las últimas llamadas de ${who}, primero la más reciente; horas en UTC.`,
    everybody: 'todos',
    file: 'llamadas',
    by: ({ name }) => `por ${name}`,
    notEnded: 'sin terminar',
  },
  budget: {
    none: 'No hay presupuesto fijado.',
    operatorsOnly: 'Solo los operadores pueden levantar un presupuesto.',
    today: ({ owner, lines }) => `Presupuesto de hoy, ${owner}: ${lines}`,
    liftedBy: ({ name }) => `(levantado por hoy por ${name})`,
    lifted: ({ owners }) =>
      `Levantado hasta las 00:00 UTC para ${owners}. /retry continúa un turno que terminó.`,
  },
  model: {
    agentAway: 'El agente no está disponible; sus modelos se podrán mostrar cuando vuelva.',
    none: 'Ese modelo no existe.',
    notYours: 'No puedes elegir modelo.',
    chosen: ({ model }) => `Desde el próximo paso responde aquí ${model}, hasta /clear.`,
    byCommand: ({ model }) => `${model}, elegido con /model`,
    present: ({ model }) => `Modelo: ${model}`,
    only: ({ model }) => `Modelo: ${model}. No hay otro.`,
    others: ({ models }) => `Otros: ${models}\n/model y un nombre elige uno para esta sesión.`,
  },
  worker: {
    operatorsOnly:
      'Solo los operadores eligen el worker: cada uno tiene sus archivos y reglas. /worker los lista.',
    turnRuns:
      'Aquí hay un turno en curso: detenlo con /stop o deja que acabe antes de elegir otro worker.',
    none: 'Ese worker no existe.',
    already: ({ worker }) => `Esta conversación ya usa el worker ${worker}.`,
    chosen: ({ worker }) =>
      `Desde ahora las herramientas se ejecutan en el worker ${worker}. Conversación, archivos, reglas y permisos son los de ese worker; los demás se quedan donde están.`,
    present: ({ worker, state }) => `Worker: ${worker} (${state})`,
    only: ({ present }) => `${present}. No hay otro.`,
    others: ({ workers }) =>
      `Otros: ${workers}\n/worker y un nombre lleva allí esta conversación, para operadores.`,
    away: 'no disponible',
    sandbox: ({ driver }) => `sandbox ${driver}`,
    unknownDriver: 'desconocido',
  },
  output: {
    none: 'Esa llamada no existe en esta sesión.',
    file: ({ number: call }) => `la salida de la llamada ${call}`,
    head: ({ number: call, tool, end }) => `Llamada ${call}, ${tool}: ${end}`,
    fromCache: 'de la caché de resultados',
    showAll: ({ statistics, command }) => `${statistics}; ${command} las muestra`,
    tooLarge: '[es demasiado grande para un archivo]',
  },
  permissions: {
    intro:
      'Cada llamada se comprueba con reglas: se ejecuta, pregunta o se deniega. Cuenta la última regla que coincide; lo que ninguna cubre, pregunta.',
    operator: ({ rules }) => `Operador: ${rules}; lo que deniega es definitivo.`,
    worker: ({ worker, rules }) => `Worker ${worker}: ${rules}.`,
    grants: ({ count }) => `Permitido a ti en esta sesión: ${count}; /grants lo lista.`,
    approversOnly: 'Quienes aprueban y los operadores ven las reglas.',
    elsewhere:
      'un archivo que solo tienen sus agentes; countersign permissions show lo imprime en su máquina',
    damaged: 'reglas dañadas',
    rules: ({ count, allow, ask, deny }) =>
      `${counted(count, 'regla', 'reglas')} (${allow} permiten, ${ask} preguntan, ${deny} deniegan)`,
    gateOff: 'Aviso: el control está desactivado: estas reglas lo permiten todo y nada pregunta.',
    lineInvalid: ({ line }) =>
      `Aviso: la línea ${line} no es válida; hasta que se repare, toda llamada pregunta.`,
    exampleFails: ({ line }) =>
      `Aviso: el ejemplo de la línea ${line} no se cumple; hasta entonces pregunta todo lo que no se deniega.`,
    more: ({ count }) =>
      `… y ${number(count)} caracteres más: countersign permissions show los imprime todos`,
  },
}
