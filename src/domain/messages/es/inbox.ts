import type { Catalogue } from '../en/en.ts'
import { createFormat } from '../language.ts'

const { any, counted } = createFormat('es')

export const inbox: Catalogue['inbox'] = {
  skipped:
    'Tu mensaje no se pudo procesar y se omitió. Los operadores encuentran los detalles en el registro. Los mensajes siguientes se atienden.',
  rateLimited: ({ perMinute }) =>
    `Envías más de ${perMinute} mensajes por minuto. No se pierde nada: el resto se atiende uno tras otro. /stop y las respuestas a aprobaciones no esperan.`,
  queueAway: 'La cola de trabajos no está disponible. Tu mensaje se guarda y sigue cuando vuelva.',
  toolsAway:
    'Ahora las herramientas no pueden funcionar, así que nada se responde: el sandbox no funciona. Tu mensaje se guarda y se atiende cuando vuelva a funcionar. Para operadores: countersign doctor dice qué falla.',
  notedForLater: 'Anotado. Tendrá su propio turno cuando termine el actual.',
  noted: 'Anotado. El modelo lo lee en su próximo paso.',
  mayNotAnswer: 'No puedes responder a esto.',
  buttonGone: 'Este botón ya no vale aquí.',
  buttonsChanged: 'Los botones acaban de cambiar: toca otra vez.',
  ended: 'Esto ya ha terminado.',
  stopped: 'Detenido.',
  thanks: 'Gracias.',
  answerGone: 'Esa respuesta ya no se conserva.',
  tooManyRatings: 'Demasiadas valoraciones de esta respuesta; cuenta la última.',
  tooManyRequests: 'Demasiadas solicitudes. Inténtalo de nuevo en un minuto.',

  fileNotRead: 'Solo puedo leer texto; el archivo no se aceptó.',
  captionOnly: 'Leo el texto que lo acompaña; el archivo no se aceptó.',
  fileTooLarge: ({ name, limit }) => `«${name}» supera ${limit} y no se aceptó.`,
  tooManyFiles: ({ name, others, files, megabytes }) =>
    `«${name}»${others === 0 ? ' no se aceptó' : ` y ${others} más no se aceptaron`}: esperan a la vez como máximo ${files} archivos o ${megabytes} MB por persona. Envía el resto cuando esos estén guardados.`,
  fileNotTaken: ({ name, why }) => `«${name}» no se aceptó: ${why}.`,
  notFetched: 'no se pudo obtener',
  tooLarge: ({ limit }) => `supera ${limit}`,
  fetchGivenUp: ({ platform }) => `${platform} no lo entregó durante demasiado tiempo`,
  fetchRetrying: ({ name }) => `«${name}» no se puede obtener ahora; se sigue intentando.`,
  bytes: ({ count }) => counted(count, 'byte', 'bytes'),
  megabytes: ({ count }) => `${count} MB`,

  whichFile: '¿Qué archivo? /upload ruta',
  ownFileProblems: {
    missing: 'ese archivo no existe',
    forbidden: 'no se puede leer',
    directory: 'es un directorio',
    name_too_long: 'la ruta es demasiado larga',
    not_regular: 'no es un archivo normal',
  },
  ownFileUnreadable: ({ code }) => `no se puede leer (${code})`,

  fileRefusals: {
    none: 'aquí no se pueden obtener archivos',
    gone: 'la plataforma ya no lo tiene',
    not_visible: 'la plataforma no se lo muestra a la aplicación',
    no_permission:
      'la aplicación no puede leer archivos: le falta el permiso files:read; un operador lo añade y la instala de nuevo',
    external: 'está guardado fuera de la plataforma',
    local_server:
      'el servidor de la Bot API funciona con --local y no entrega archivos; un operador puede usarlo sin esa opción',
    refused: 'la plataforma se negó a entregarlo',
  },

  codeElsewhere: ({ platforms }) =>
    `Los códigos valen en un chat privado de ${any(platforms)}: para vincular esta cuenta, escribe /link aquí y envía allí el código.`,
}
