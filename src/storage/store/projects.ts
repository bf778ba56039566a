import type { MemberRole, Role } from '../../domain/people/permission.ts';
import type {
  Acquaintance,
  DeletedProject,
  Member,
  NewProject,
  Project,
  TeamMember,
} from '../../domain/people/project.ts';
import type { AddressForm } from '../../domain/ping/ping-address.ts';
import type { Instant } from '../../lib/instant.ts';

/** A project in the list of a person. */
export interface ProjectOverview {
  readonly project: Project;
  /** The role of the person. */
  readonly role: Role;
  readonly ownerEmail: string;
  readonly channelCount: number;
  /** The member to whom the owner offers the project. */
  readonly offer: { readonly accountId: number; readonly email: string } | null;
}

/** What a project has, for administrators. */
export interface ProjectUsage {
  readonly id: number;
  readonly ownerEmail: string;
  readonly checks: number;
  readonly channels: number;
  /** Without the owner. */
  readonly members: number;
}

export interface ProjectReads {
  byUuid(uuid: string): Promise<Project | null>;
  /** The project with this UUID, if an administrator visits it in that session. */
  visitedIn(sessionId: number, uuid: string, now: Instant): Promise<Project | null>;
  /** In the order of their ids. */
  usageOf(ids: readonly number[]): Promise<ProjectUsage[]>;
  /** Also finds a deleted project, like the other reads of one project. */
  byId(id: number): Promise<Project | null>;
  /** Projects that the account owns or is a member of, without deleted ones, in order of creation. */
  accessibleTo(accountId: number): Promise<Project[]>;
  /** The same, each with the role that the account has in it. */
  withRoles(accountId: number): Promise<{ project: Project; role: Role }[]>;
  /** The project with this UUID and the role that the account has in it. Null if it has none, or the project is deleted. */
  accessOf(accountId: number, uuid: string): Promise<{ project: Project; role: Role } | null>;
  /** People who are members of the project, without its owner, in the order in which they came. */
  membersOf(id: number): Promise<Member[]>;
  /** The owner of the project, then its members in the order in which they came. */
  teamOf(id: number): Promise<TeamMember[]>;
  /** The role of the account in the project. Null if it has none. */
  roleOf(id: number, accountId: number): Promise<Role | null>;
  /** Whether the account is a member of another project of the same owner. */
  isInOtherProject(id: number, accountId: number): Promise<boolean>;
  /**
   * Members of other projects of the same owner who are not in this project, in order of their addresses, at most `most`.
   * With `asker`, only of projects in which that account has a role.
   */
  acquaintancesOf(id: number, asker: number | null, most: number): Promise<Acquaintance[]>;
  /** What stands in the ping addresses that the project shows. */
  addressForm(id: number): Promise<AddressForm>;
  /** All projects of the owner with that name; names need not be unique. */
  byOwnerAndName(ownerId: number, name: string): Promise<Project[]>;
  /** The project in which deleted checks of this one wait. Null if it has none. */
  binOf(id: number): Promise<number | null>;
  /** All projects of the owner, deleted ones included, in order of creation. */
  ownedBy(ownerId: number): Promise<Project[]>;
  /** Deleted projects that the owner can restore, the first to go first. */
  restorableOf(ownerId: number, now: Instant): Promise<DeletedProject[]>;
  /** What a list shows of the projects that the account owns or is a member of, in order of creation. */
  overviewsOf(accountId: number): Promise<ProjectOverview[]>;
  /** The project that a ping key belongs to. */
  byPingKey(digest: string): Promise<Project | null>;
  /** The project that public badges with this key belong to. */
  byBadgeKey(badgeKey: string): Promise<Project | null>;
  count(): Promise<number>;
  /** People who are members of the project, without its owner. */
  memberCount(id: number): Promise<number>;
  /** Projects after that id, in the order of their ids, at most `most`. */
  page(afterId: number, most: number): Promise<Project[]>;
}

export interface ProjectWrites extends ProjectReads {
  /** The project, locked until the transaction ends. */
  lock(id: number): Promise<Project | null>;
  /** Lets an administrator into the project in that session. A visit that has begun is extended. */
  beginVisit(sessionId: number, projectId: number, endsAt: Instant): Promise<void>;
  /** Returns false if there was no visit. */
  endVisit(sessionId: number, projectId: number): Promise<boolean>;
  /** The project that a ping key belongs to, locked until the transaction ends. */
  lockByPingKey(digest: string): Promise<Project | null>;
  lockByUuid(uuid: string): Promise<Project | null>;
  /** The owner of the project, who stays its owner until the transaction ends. */
  holdOwner(id: number): Promise<number | null>;
  /** A project that is to be deleted for good, locked. Passes over projects that another node works on. */
  lockDueDeletion(now: Instant): Promise<Project | null>;
  /** Whether a provisioning file has declared the project. */
  isDeclared(id: number): Promise<boolean>;
  rename(id: number, name: string): Promise<void>;
  setAddressForm(id: number, form: AddressForm): Promise<void>;
  /** Deletes the project at that time, or restores it. */
  setDeletion(id: number, at: Instant | null): Promise<void>;
  setOwner(id: number, ownerId: number): Promise<void>;
  /** Makes the project in which deleted checks of this one wait, unless it has one. Nobody can enter it. */
  addBin(id: number, bin: Pick<NewProject, 'uuid' | 'badgeKey' | 'createdAt'>): Promise<void>;
  /** Gives up the keys of the project and its name in a provisioning file, so that another project can have them. */
  dropNames(id: number): Promise<void>;
  insert(project: NewProject): Promise<Project>;
  /** Deletes the project with all that belongs to it, except bodies in object storage. Delete its checks first. */
  delete(id: number): Promise<void>;
  setBadgeKey(id: number, badgeKey: string): Promise<void>;
  /** Null takes the ping key away. */
  setPingKey(id: number, digest: string | null, sealed: string | null): Promise<void>;
  /** Saves the ping key under a new seal, unless the project has another key meanwhile. */
  resealPingKey(project: Project, sealed: string): Promise<void>;
  /** Makes the account a member. Returns false if it already is one. */
  addMember(projectId: number, accountId: number, role: MemberRole, at: Instant): Promise<boolean>;
  /** Returns false if the account is no member. */
  setRole(projectId: number, accountId: number, role: MemberRole): Promise<boolean>;
  /** Ends the membership, and with it an offer of the project. Returns false if the account was no member. */
  removeMember(projectId: number, accountId: number): Promise<boolean>;
}
