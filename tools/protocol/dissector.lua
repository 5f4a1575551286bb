-- fairshoe: a Wireshark dissector for the serial link of a card shoe.
--
--     tshark -X lua_script:fairshoe.lua -r capture.pcap            (Wireshark 4.0 or newer)
--     wireshark: put this file into the folder "Personal Lua Plugins" (Help, About, Folders)
--
-- Taken for captures of link type USER0 (147), each packet a piece of the serial stream that holds whole frames; and,
-- by "Decode As", for TCP and UDP payloads (a serial server, say). What a packet leaves unfinished is said, not guessed.
--
-- The MAC of a keyed frame is shown and not checked: that would need the device's key in this file.

-- >>> generated
{{tables}}
-- <<< generated

local HEADER_SIZE = 8
local CRC_SIZE = 4
local MAC_SIZE = 16
local STUFFED_MAX = 256 -- what a device's reader holds: more without a zero is no frame of ours
local FLAG_KEYED = 0x80
local RESIDUE = 0x2144DF1C

local fairshoe = Proto("fairshoe", "fairshoe card shoe")

-- Bit operations have a different name in every Lua; this is all of them that is needed.
local bxor = bit32 and bit32.bxor or load("return function(a, b) return a ~ b end")()

-- Header and framing -----------------------------------------------------------------------------

local f = {
    version = ProtoField.uint8("fairshoe.version", "Version", base.DEC, nil, 0xF0),
    class = ProtoField.uint8("fairshoe.class", "Class", base.DEC, CLASSES, 0x0F),
    flags = ProtoField.uint8("fairshoe.flags", "Flags", base.HEX),
    keyed = ProtoField.bool("fairshoe.flags.keyed", "Keyed: a MAC stands before the CRC", 8, nil, 0x80),
    again = ProtoField.bool("fairshoe.flags.again", "Again: this event was sent before", 8, nil, 0x01),
    message = ProtoField.uint16("fairshoe.message", "Message", base.DEC, NAMES),
    session = ProtoField.uint16("fairshoe.session", "Session", base.HEX_DEC),
    sequence = ProtoField.uint16("fairshoe.sequence", "Link sequence", base.DEC),
    body = ProtoField.bytes("fairshoe.body", "Body"),
    extra = ProtoField.bytes("fairshoe.extra", "Bytes after the known fields"),
    mac = ProtoField.bytes("fairshoe.mac", "MAC"),
    crc = ProtoField.uint32("fairshoe.crc", "CRC-32", base.HEX),
    bad = ProtoField.string("fairshoe.bad", "Dropped"),
    unfinished = ProtoField.bytes("fairshoe.unfinished", "Unfinished"),
}

local function expert_info(name, text, group, severity)
    return ProtoExpert.new("fairshoe.expert." .. name, text, group, severity)
end

local experts = {
    bad_stuffing = expert_info("bad_stuffing", "Dropped: not COBS", expert.group.MALFORMED, expert.severity.ERROR),
    too_short = expert_info("too_short", "Dropped: shorter than 12 bytes", expert.group.MALFORMED, expert.severity.ERROR),
    too_long = expert_info("too_long", "Dropped: longer than 253 bytes", expert.group.MALFORMED, expert.severity.ERROR),
    bad_crc = expert_info("bad_crc", "Dropped: wrong CRC", expert.group.CHECKSUM, expert.severity.ERROR),
    bad_version = expert_info("bad_version", "Dropped: another version", expert.group.PROTOCOL, expert.severity.WARN),
    bad_flags = expert_info("bad_flags", "Dropped: a flag that must be understood", expert.group.PROTOCOL, expert.severity.WARN),
    malformed = expert_info("malformed", "Malformed: shorter than its fields", expert.group.MALFORMED, expert.severity.ERROR),
    unknown = expert_info("unknown", "No such message in this version", expert.group.UNDECODED, expert.severity.NOTE),
    unfinished = expert_info("unfinished", "No delimiter at the end", expert.group.REASSEMBLE, expert.severity.NOTE),
}

-- Body fields ------------------------------------------------------------------------------------

local makers = { u8 = ProtoField.uint8, u16 = ProtoField.uint16, u32 = ProtoField.uint32 }
local body_fields = {}
local all_fields, all_experts = {}, {}

for path, field in pairs(FIELDS) do
    local kind, names = field[1], field[2]
    local label = path:match("[^.]+$")
    if makers[kind] then
        body_fields[path] = makers[kind]("fairshoe." .. path, label, base.DEC, names)
    elseif kind == "t8" or (kind == "rest" and label == "text") then
        body_fields[path] = ProtoField.string("fairshoe." .. path, label)
    else
        body_fields[path] = ProtoField.bytes("fairshoe." .. path, label)
    end
    all_fields[#all_fields + 1] = body_fields[path]
end
for _, field in pairs(f) do
    all_fields[#all_fields + 1] = field
end
for _, field in pairs(experts) do
    all_experts[#all_experts + 1] = field
end
fairshoe.fields = all_fields
fairshoe.experts = all_experts

-- Frames -----------------------------------------------------------------------------------------

local crc_table = {}
for i = 0, 255 do
    local value = i
    for _ = 1, 8 do
        local odd = value % 2
        value = (value - odd) / 2
        if odd == 1 then
            value = bxor(value, 0xEDB88320)
        end
    end
    crc_table[i] = value
end

-- Whole numbers stay whole: in newer Luas "/" makes a float, which bxor takes as long as it has no fraction.
local function crc32(bytes)
    local crc = 0xFFFFFFFF
    for i = 0, bytes:len() - 1 do
        local low = crc % 256
        crc = bxor((crc - low) / 256, crc_table[bxor(low, bytes:get_index(i))])
    end
    return bxor(crc, 0xFFFFFFFF)
end

-- The frame behind a stuffed piece, or nil.
local function unstuff(piece)
    local out, size, at = ByteArray.new(), piece:len(), 0
    out:set_size(size)
    local used = 0
    while at < size do
        local code = piece:get_index(at)
        if code == 255 or at + code > size then
            return nil
        end
        for i = at + 1, at + code - 1 do
            out:set_index(used, piece:get_index(i))
            used = used + 1
        end
        at = at + code
        if at < size then
            out:set_index(used, 0)
            used = used + 1
        end
    end
    out:set_size(used)
    return out
end

-- In the order of the specification: nothing of a frame is looked at before its CRC has been.
local function check(piece)
    if piece:len() > STUFFED_MAX then
        return nil, "too_long"
    end
    local frame = unstuff(piece)
    if not frame then
        return nil, "bad_stuffing"
    elseif frame:len() < HEADER_SIZE + CRC_SIZE then
        return frame, "too_short"
    elseif frame:len() > FRAME_MAX then
        return frame, "too_long"
    elseif crc32(frame) ~= RESIDUE then
        return frame, "bad_crc"
    elseif math.floor(frame:get_index(0) / 16) ~= VERSION then
        return frame, "bad_version"
    elseif math.floor(frame:get_index(1) / 16) % 8 ~= 0 then
        return frame, "bad_flags"
    end
    return frame, nil
end

local function add_body(tree, tvb, message, at, finish)
    local known = MESSAGES[message]
    if not known then
        tree:add_proto_expert_info(experts.unknown)
    end
    for _, path in ipairs(known or {}) do
        local size = SIZES[FIELDS[path][1]]
        if size == 0 then
            size = finish - at
        end
        if at + size > finish then
            tree:add_proto_expert_info(experts.malformed)
            break
        end
        if size > 0 then
            -- Little-endian for numbers; for text and bytes add_le and add are the same.
            tree:add_le(body_fields[path], tvb(at, size))
        elseif FIELDS[path][1] == "rest" and path:match("[^.]+$") == "text" then
            tree:add(body_fields[path], "")
        elseif FIELDS[path][1] == "rest" then
            tree:add(body_fields[path], tvb(at, 0))
        end
        at = at + size
    end
    if at < finish then
        tree:add(known and f.extra or f.body, tvb(at, finish - at))
    end
end

local function add_frame(tree, frame)
    local tvb = frame:tvb("Frame")
    local size = tvb:len()
    tree:add(f.version, tvb(0, 1))
    tree:add(f.class, tvb(0, 1))
    local flags = tree:add(f.flags, tvb(1, 1))
    flags:add(f.keyed, tvb(1, 1))
    flags:add(f.again, tvb(1, 1))
    tree:add_le(f.message, tvb(2, 2))
    tree:add_le(f.session, tvb(4, 2))
    tree:add_le(f.sequence, tvb(6, 2))
    local message = tvb(2, 2):le_uint()
    local finish = size - CRC_SIZE
    local keyed = tvb(1, 1):uint() >= FLAG_KEYED
    if keyed then
        finish = finish - MAC_SIZE
    end
    if finish < HEADER_SIZE then
        tree:add_proto_expert_info(experts.malformed)
    else
        add_body(tree, tvb, message, HEADER_SIZE, finish)
        if keyed then
            tree:add(f.mac, tvb(finish, MAC_SIZE))
        end
    end
    tree:add_le(f.crc, tvb(size - CRC_SIZE, CRC_SIZE))
    return NAMES[message] or ("message " .. message)
end

local function add_piece(root, range)
    local tree = root:add(fairshoe, range)
    local frame, reason = check(range:bytes())
    local name
    if reason then
        tree:add(f.bad, range, reason)
        tree:add_proto_expert_info(experts[reason])
        name = "[" .. reason .. "]"
    else
        name = add_frame(tree, frame)
    end
    tree:append_text(", " .. name)
    return name
end

-- Packets ----------------------------------------------------------------------------------------

function fairshoe.dissector(tvb, pinfo, root)
    local bytes, size = tvb:bytes(), tvb:len()
    local names, start = {}, 0
    pinfo.cols.protocol = "fairshoe"
    for at = 0, size - 1 do
        if bytes:get_index(at) == 0 then
            if at > start then
                names[#names + 1] = add_piece(root, tvb(start, at - start))
            end
            start = at + 1
        end
    end
    if start < size then
        if pinfo.can_desegment > 0 and size - start <= STUFFED_MAX then
            pinfo.desegment_offset = start
            pinfo.desegment_len = DESEGMENT_ONE_MORE_SEGMENT
        else
            local tree = root:add(fairshoe, tvb(start, size - start))
            tree:add(f.unfinished, tvb(start, size - start))
            tree:add_proto_expert_info(experts.unfinished)
            names[#names + 1] = "[unfinished]"
        end
    end
    pinfo.cols.info = table.concat(names, ", ")
    return size
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, fairshoe)
for _, name in ipairs({ "tcp.port", "udp.port" }) do
    DissectorTable.get(name):add_for_decode_as(fairshoe)
end
