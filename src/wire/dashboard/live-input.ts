import { AppError } from '../../domain/errors.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Projects that one stream may ask for by name. */
export const MAX_ASKED_PROJECTS = 50;
const MAX_EVENT_ID_LENGTH = 100;

export interface LiveQuestion {
  /** UUIDs of projects. Null for all that the person may see. */
  readonly projects: readonly string[] | null;
  /** The last event that the page knows. */
  readonly lastEventId: string | null;
}

/** A browser that comes back by itself tells the last event in a header. */
export function parseLiveQuestion(query: URLSearchParams, header: string | undefined): LiveQuestion {
  const projects = [...new Set(query.getAll('project'))];
  if (projects.length > MAX_ASKED_PROJECTS || !projects.every((uuid) => UUID.test(uuid)))
    throw new AppError('invalid_query', `project must be a UUID, at most ${MAX_ASKED_PROJECTS} times`, {
      field: 'project',
    });
  const lastEventId = header ?? query.get('last_event_id');
  return {
    projects: projects.length === 0 ? null : projects,
    lastEventId: lastEventId === null || lastEventId.length > MAX_EVENT_ID_LENGTH ? null : lastEventId,
  };
}
