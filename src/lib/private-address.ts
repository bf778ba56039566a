/** Why a destination is not reached that is on the machine of the service or in its own network. */
export const NO_PRIVATE_ADDRESS = 'Connections to private IP addresses are not allowed';
