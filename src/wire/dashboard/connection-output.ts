/** What came of a visit to a provider, at which people set up an integration. */
export interface ConnectedJson {
  /** The UUID of the project to which something was added. */
  readonly project: string | null;
  readonly kind: string;
  /** The name of the kind. */
  readonly label: string;
  /** The names of the integrations that were added. */
  readonly added: readonly string[];
  /** The name of the destination, if the choices are projects. Null if they are destinations. */
  readonly destination: string | null;
  /** What the person chooses from. */
  readonly choices: readonly ConnectionChoiceJson[];
  /** The page of the provider to which the person goes once more. Null if there is none. */
  readonly address: string | null;
}

export interface ConnectionChoiceJson {
  readonly name: string;
  /** What it is part of, such as a board. */
  readonly group: string;
  /** What is sent back if it is chosen. */
  readonly choice: string;
}

interface ConnectedData {
  readonly project?: string;
  readonly kind: string;
  readonly destination?: string;
  readonly channels?: readonly { readonly name: string }[];
  readonly choices?: readonly { readonly name: string; readonly group: string; readonly sealed: string }[];
  readonly address?: string;
}

export function connectedJson(data: ConnectedData, label: string): ConnectedJson {
  const { project = null, kind, destination = null, channels = [], choices = [], address = null } = data;
  return {
    ...{ project, kind, label, destination, address },
    added: channels.map(({ name }) => name || label),
    choices: choices.map(({ name, group, sealed }) => ({ name, group, choice: sealed })),
  };
}
