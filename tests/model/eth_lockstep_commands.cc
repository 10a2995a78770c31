/* The emulated wire: commands to the guest's hypervisor, from a script of given times or from the receiver. */
#include "eth_lockstep.h"

#include <sys/socket.h>

namespace
{

const Bit64u LISTEN_USEC = 10000; /* how often the receiver's own commands are looked for */

} // namespace

void Lockstep::add_command(const char *word)
{
    char *rest;
    LockstepScriptedCommand scripted;

    scripted.after = strtoull(word, &rest, 0);
    if (*rest != ':')
        BX_PANIC(("lockstep: at=%s is not MICROSECONDS:COMMAND", word));
    scripted.name = rest + 1;
    size_t colon = scripted.name.find(':');
    if (colon != std::string::npos) {
        scripted.text = scripted.name.substr(colon + 1);
        scripted.name.resize(colon);
    }
    for (char &c : scripted.text)
        c = c == '+' ? ' ' : c;
    commands.push_back(scripted);
}

void Lockstep::first_frame(const frame_header &header)
{
    first_frame_at = bx_pc_system.time_usec();
    stream_id = header.stream_id;
    run_commands();
}

void Lockstep::send_command(const LockstepScriptedCommand &scripted)
{
    size_t dash = scripted.name.find('-');
    std::string how = dash == std::string::npos ? "" : scripted.name.substr(0, dash);
    std::string name = scripted.name.substr(dash == std::string::npos ? 0 : dash + 1);
    struct command command = {};

    command.opcode = command_opcode_of(name.c_str());
    if (how != "again")
        command_number++;
    command.number = how == "old" ? 0 : command_number;
    snprintf(command.text, sizeof(command.text), "%s", scripted.text.c_str());
    Bytes frame(COMMAND_FRAME_MAX);
    size_t size = command_build(frame.data(), how == "foreign" ? ~stream_id : stream_id, &command);
    if (command.opcode == 0 || size == 0)
        BX_PANIC(("lockstep: there is no command %s", scripted.name.c_str()));
    frame.resize(size);
    frame_seal_again(frame.data());
    if (how == "damaged")
        frame[FRAME_HEADER_SIZE + 4] ^= 1;
    answer(frame);
}

void Lockstep::run_commands()
{
    Bit64u now = bx_pc_system.time_usec(), next = LISTEN_USEC;
    Bytes payload;

    while (!commands.empty() && first_frame_at + commands.front().after <= now) {
        send_command(commands.front());
        commands.pop_front();
    }
    while (receive(payload, MSG_DONTWAIT)) {
        if (payload.size() >= FRAME_HEADER_SIZE && (payload[offsetof(frame_header, kind)] & ~FRAME_TAGGED) == FRAME_COMMAND)
            answer(payload);
    }
    if (!commands.empty() && first_frame_at + commands.front().after - now < next)
        next = first_frame_at + commands.front().after - now;
    bx_pc_system.activate_timer(command_timer_index, (Bit32u)next, 0);
}

void Lockstep::command_timer(void *self)
{
    ((Lockstep *)self)->run_commands();
}
