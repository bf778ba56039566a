/** Clients in the field speak all three; the path prefix alone decides. */
export type ApiVersion = 1 | 2 | 3;

export const API_VERSIONS: readonly ApiVersion[] = [1, 2, 3];
