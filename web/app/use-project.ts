import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type Answer, query } from './read.ts';

/** A project in the list of the person. */
export type OwnProject = Answer<'ownProjects'>['projects'][number];

/** The project whose pages are open. */
export function useProject() {
  const { project } = useParams({ from: '/signed-in/projects/$project' });
  return useSuspenseQuery(query.project({ project })).data;
}

/** Whether the person may change things in the project. Pages leave out acts that they may not do. */
export const mayWrite = ({ role }: { readonly role: string }): boolean => role !== 'read_only';

const MANAGERS: readonly string[] = ['manager', 'owner', 'administrator'];

/** Whether the person may change the team and read the audit log. */
export const mayManage = ({ role }: { readonly role: string }): boolean => MANAGERS.includes(role);
