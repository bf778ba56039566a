import { lookAtButton, pressButton } from '../../services/alert/pressed-buttons.ts';
import type { Deps } from '../../services/core/deps.ts';
import { TOKEN } from '../path-segments.ts';
import type { Answer } from '../replies.ts';
import type { OpenRequest, Route } from '../route.ts';
import { answerPage, BUTTON_POLICY, buttonPage, sentencePage } from './page.ts';

const WRONG = 'This link is not right, or too old.';

/**
 * The buttons of messages. Opening an address changes nothing, since scanners and previews open links too. A POST acts,
 * from any page or program and with any body: who knows the address may.
 */
export function buttonRoutes(
  deps: Deps,
  { root, name }: { readonly root: string; readonly name: string },
): Route[] {
  const operation = (answer: (request: OpenRequest) => Promise<Answer>) => ({
    auth: 'public_token' as const,
    handle: answer,
  });
  return [
    {
      // Whoever opens an altered address is a person as well, and reads what is wrong.
      path: `/buttons/:delivery(${TOKEN})/:verb(${TOKEN})/:token(${TOKEN})/`,
      isExact: true,
      cors: true,
      likeGet: ['HEAD'],
      operations: {
        GET: operation(async (request) => {
          const shown = await lookAtButton(deps, refOf(request), name);
          return shown === null ? page(404, sentencePage(WRONG)) : page(200, buttonPage(shown, root));
        }),
        POST: operation(async (request) => {
          const presser = { person: null, remoteAddr: request.remoteAddr };
          const pressed = await pressButton(deps, refOf(request), presser, name);
          const status = pressed === null ? 404 : 200;
          if (wantsJson(request))
            return { status, headers: HEADERS, json: { text: pressed === null ? WRONG : pressed.text } };
          return page(status, pressed === null ? sentencePage(WRONG) : answerPage(pressed, root));
        }),
      },
    },
  ];
}

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

function refOf({ params }: OpenRequest) {
  return { deliveryUuid: params.delivery ?? '', verb: params.verb ?? '', token: params.token ?? '' };
}

/** Browsers that show a page ask for HTML. */
function wantsJson({ headers: { accept = '' } }: OpenRequest): boolean {
  return accept.includes('application/json') && !accept.includes('text/html');
}

function page(status: number, text: string): Answer {
  return {
    status,
    headers: { ...HEADERS, 'content-security-policy': BUTTON_POLICY },
    contentType: 'text/html; charset=utf-8',
    text,
  };
}
