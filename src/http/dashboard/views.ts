import type { AccountDeps } from '../../services/accounts/deps.ts';
import { VIEWS } from '../../views/index.ts';
import type { View } from '../../views/view.ts';
import { readRequired } from '../../wire/dashboard/input.ts';
import type { Answer } from '../replies.ts';
import type { MemberRequest, Route } from '../route.ts';
import { checkRoute, forMembers, onCheck, projectRoute } from './dashboard-route.ts';

/** A path for each view: that of what it is about, and its name. Reader threads answer. */
export function viewRoutes({ reads }: Pick<AccountDeps, 'reads'>): Route[] {
  return Object.entries<View>(VIEWS).map(([name, view]) => {
    const answer = async (request: MemberRequest, check: { readonly checkId?: number }): Promise<Answer> => {
      const { signedIn, actor, body } = request;
      const input = readRequired(view.input ?? {}, body);
      const question = { kind: 'view', name, person: signedIn.actor, actor, ...check, input } as const;
      return { status: 200, pieces: (await reads.ask(question)).pieces };
    };
    const path = `/read/${name}`;
    const method = view.input === undefined ? 'GET' : 'POST';
    return view.place === 'project'
      ? projectRoute(path, { [method]: forMembers(view.permission, (request) => answer(request, {})) })
      : checkRoute(path, {
          [method]: onCheck(view.permission, (request) => answer(request, { checkId: request.check.id })),
        });
  });
}
