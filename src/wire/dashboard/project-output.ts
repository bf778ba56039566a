import type { Role } from '../../domain/people/permission.ts';
import type { DeletedProject, Project, Transfer } from '../../domain/people/project.ts';
import { badgeStatus, type StatusCounts } from '../../domain/public/badge.ts';
import { toIsoSeconds } from '../../lib/instant.ts';

/** A project as a person sees it. */
export interface ProjectJson {
  readonly uuid: string;
  readonly name: string;
  /** What the person may do in it. */
  readonly role: Role | 'administrator';
  readonly created: string;
}

export function projectJson(
  { uuid, name, createdAt }: Pick<Project, 'uuid' | 'name' | 'createdAt'>,
  role: ProjectJson['role'],
): ProjectJson {
  return { uuid, name, role, created: toIsoSeconds(createdAt) };
}

/** An offer to take a project over. */
export interface OfferJson {
  /** The address of the member to whom it is offered. */
  readonly to: string;
  readonly made: string;
}

export function offerJson({ email, createdAt }: Pick<Transfer, 'createdAt'> & { email: string }): OfferJson {
  return { to: email, made: toIsoSeconds(createdAt) };
}

/** A project in the list of a person. */
export interface ListedProjectJson extends ProjectJson {
  readonly owner: string;
  /** The worst status of its checks. Without checks it is up. */
  readonly status: 'up' | 'late' | 'down';
  readonly checks: {
    readonly total: number;
    readonly up: number;
    readonly late: number;
    readonly down: number;
    readonly paused: number;
    readonly new: number;
    /** Checks with an open run, whatever their status. */
    readonly started: number;
  };
  readonly integrations: number;
  /** To whom the owner offers the project, and whether it is the person who asks. */
  readonly offer: { readonly to: string; readonly is_yours: boolean } | null;
}

/** A project that its owner can restore until it is gone. */
export interface DeletedProjectJson {
  readonly uuid: string;
  readonly name: string;
  readonly deletes_at: string;
}

export interface ProjectListJson {
  /** Those that are down first, then those that are late, each by name. */
  readonly projects: readonly ListedProjectJson[];
  readonly deleted: readonly DeletedProjectJson[];
  /** How many more checks the person's projects may have. A project with more cannot be taken over. */
  readonly free_checks: number;
}

/** What is shown of a project in a list. */
export interface CountedProject {
  readonly project: Project;
  readonly role: Role;
  readonly ownerEmail: string;
  readonly channelCount: number;
  readonly offer: { readonly accountId: number; readonly email: string } | null;
  readonly counts: StatusCounts;
}

export function projectListJson(
  list: {
    readonly projects: readonly CountedProject[];
    readonly deleted: readonly DeletedProject[];
    readonly freeChecks: number;
  },
  accountId: number,
): ProjectListJson {
  return {
    projects: list.projects.map((project) => listedJson(project, accountId)).toSorted(inOrder),
    deleted: list.deleted.map(deletedJson),
    free_checks: list.freeChecks,
  };
}

function listedJson(
  { project, role, ownerEmail, channelCount, offer, counts }: CountedProject,
  accountId: number,
): ListedProjectJson {
  const { total, up, grace, down, paused, new: fresh, started } = counts;
  return {
    ...projectJson(project, role),
    owner: ownerEmail,
    status: badgeStatus(counts, 3),
    checks: { total, up, late: grace, down, paused, new: fresh, started },
    integrations: channelCount,
    offer: offer && { to: offer.email, is_yours: offer.accountId === accountId },
  };
}

export function deletedJson({ uuid, name, deletesAt }: DeletedProject): DeletedProjectJson {
  return { uuid, name, deletes_at: toIsoSeconds(deletesAt) };
}

const names = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

const WORST_FIRST: readonly ListedProjectJson['status'][] = ['down', 'late', 'up'];

function inOrder(one: ListedProjectJson, other: ListedProjectJson): number {
  const rank = ({ status }: ListedProjectJson) => WORST_FIRST.indexOf(status);
  return rank(one) - rank(other) || names.compare(one.name, other.name);
}
