/** The ids that a change names for one kind of row in one project; beyond that it says `all`. */
export const MAX_NAMED_IDS = 200;
/** The projects that a change names; beyond that it says `everything`. */
export const MAX_NAMED_PROJECTS = 1_000;

/** `all`: any row of the project may have been touched. */
export type TouchedIds = readonly number[] | 'all';

/** Which checks and channels of a project were touched. */
export interface ProjectChange {
  readonly projectId: number;
  readonly checkIds: TouchedIds;
  readonly channelIds: TouchedIds;
  /** Whether one of the checks may have another status, or its outage another answer, for another reason than time. */
  readonly touchesStatus: boolean;
}

/** `everything`: any row of any project may have changed. */
export type Changes = readonly ProjectChange[] | 'everything';

/** A row of a project. */
export interface OwnedRow {
  readonly id: number;
  readonly projectId: number;
}

/** All of one project may have changed. */
export function wholeProject(projectId: number): ProjectChange {
  return { projectId, checkIds: 'all', channelIds: 'all', touchesStatus: true };
}

/** Collects changes. If there are too many, it names them less exactly, so that it stays small. */
export class ChangeCollector {
  /** Null: everything. */
  #projects: Map<number, ProjectCollector> | null = new Map();

  get isEmpty(): boolean {
    return this.#projects?.size === 0;
  }

  addCheck({ id, projectId }: OwnedRow, touchesStatus = true): void {
    const project = this.#project(projectId);
    if (project === undefined) return;
    project.checks.add(id);
    project.touchesStatus ||= touchesStatus;
  }

  addAllChecks(projectId: number): void {
    this.#project(projectId)?.checks.addMany('all');
  }

  addChannel({ id, projectId }: OwnedRow): void {
    this.#project(projectId)?.channels.add(id);
  }

  addEverything(): void {
    this.#projects = null;
  }

  add(changes: Changes): void {
    if (changes === 'everything') {
      this.addEverything();
      return;
    }
    for (const { projectId, checkIds, channelIds, touchesStatus } of changes) {
      const project = this.#project(projectId);
      if (project === undefined) return;
      project.checks.addMany(checkIds);
      project.channels.addMany(channelIds);
      project.touchesStatus ||= touchesStatus;
    }
  }

  /** Hands out the collected changes, and begins anew. */
  take(): Changes {
    const projects = this.#projects;
    this.#projects = new Map();
    if (projects === null) return 'everything';
    return Array.from(projects, ([projectId, { checks, channels, touchesStatus }]) => ({
      projectId,
      checkIds: checks.ids,
      channelIds: channels.ids,
      touchesStatus,
    }));
  }

  /** Undefined where everything was touched anyway. */
  #project(id: number) {
    const known = this.#projects?.get(id);
    if (known !== undefined || this.#projects === null) return known;
    if (this.#projects.size === MAX_NAMED_PROJECTS) {
      this.addEverything();
      return undefined;
    }
    const project = { checks: new IdCollector(), channels: new IdCollector(), touchesStatus: false };
    this.#projects.set(id, project);
    return project;
  }
}

interface ProjectCollector {
  readonly checks: IdCollector;
  readonly channels: IdCollector;
  touchesStatus: boolean;
}

class IdCollector {
  /** Null: all. */
  #ids: Set<number> | null = new Set();

  get ids(): TouchedIds {
    return this.#ids === null ? 'all' : [...this.#ids];
  }

  add(id: number): void {
    if (this.#ids === null) return;
    this.#ids.add(id);
    if (this.#ids.size > MAX_NAMED_IDS) this.#ids = null;
  }

  addMany(ids: TouchedIds): void {
    if (ids === 'all') this.#ids = null;
    else for (const id of ids) this.add(id);
  }
}
